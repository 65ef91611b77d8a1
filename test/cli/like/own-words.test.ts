import { describe, expect, test } from 'vitest';
import { parseBenchOptions } from '../../../src/cli/bench/parse-bench-options.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import { TOOL_OPTIONS } from '../../../src/cli/like/foreign-options.ts';
import { shellWords } from '../../../src/core/text/shell-words.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';

const COMMANDS = await allCommands();
const URL_GIVEN = 'http://h:1';

const read = (text: string) => {
  const line = parseCommandLine(shellWords(text) ?? [], COMMANDS);
  if (line.kind !== 'run') throw new Error(`${line.kind} instead of a command`);
  return line;
};

describe('options in the names of other tools', () => {
  test.each([
    ['--num-prompts 10', '--requests 10'],
    ['--num-requests=10', '--requests 10'],
    ['--request-count 10 --concurrency 4', '--requests 10 --concurrency 4'],
    ['-n 200 -c50', '--requests 200 --concurrency 50'],
    ['-c100 -d30s -t2', '--concurrency 100 --duration 30s'],
    ['--request-rate 4 --max-concurrency 8', '--rate 4 --max-in-flight 8'],
    ['--max-concurrency 8', '--concurrency 8'],
    ['--request-rate inf --max-concurrency 8', '--concurrency 8'],
    ['--request-rate inf --num-prompts 50', '--requests 50 --concurrency 50'],
    ['--isl 512 --osl 64', '--input-tokens 512 --output-tokens 64'],
    ['--random-input-len 1000 --random-range-ratio 0.1', '--input-tokens 900..1100'],
    [
      '--backend sglang --random-input 1000 --random-range-ratio 0.5',
      '--api sglang --input-tokens 500..1000',
    ],
    ['--isl 300 --isl-stddev 30', "--input-tokens 'normal(300,30)'"],
    ['--isl 300 --isl-stddev 0.5 --osl 64', "--input-tokens 'normal(300,0.5)' --output-tokens 64"],
    ['--backend vllm --endpoint /v1/chat/completions', '--api chat'],
    ['--endpoint-type chat --service-kind openai', '--api chat'],
    [
      '--extra-inputs min_p:0.1 --body \'{"top_k":5}\' --extra-inputs \'{"a":{"b":1}}\'',
      '--body \'{"min_p":0.1,"a":{"b":1},"top_k":5}\'',
    ],
    ['--goodput ttft:500 tpot:50 e2el:3000', '--slo ttft=500ms --slo tpot=50ms --slo latency=3000ms'],
    ['--extra-body \'{"top_k":5}\'', '--body \'{"top_k":5}\''],
    ['--extra-inputs min_p:0.1 --extra-inputs top_k:5', '--body \'{"min_p":0.1,"top_k":5}\''],
    ['--endpoint /v1/completions', '--api completions'],
    ['--backend openai-chat', '--api chat'],
    ['--num-warmups 3', '--warmup 3'],
    ['--num-warmups 0', ''],
    ['--benchmark-duration 60', '--duration 60s'],
    ['--model /models/m --served-model-name m', '--model m'],
    ['--streaming --requests 5', '--streaming --requests 5'],
    ['--ignore-eos --save-result --disable-tqdm', ''],
  ])('%s is read as %s', (given, ours) => {
    const line = read(`bench ${URL_GIVEN} ${given}`);
    const [, url, ...rest] = line.args;
    expect(url).toBe(URL_GIVEN);
    expect(rest.toSorted()).toEqual((shellWords(ours) ?? []).toSorted());
    expect(parseBenchOptions(line.invocation, '/').target.shown).toBe(URL_GIVEN);
  });

  test.each([
    ['--url h:8000', 'http://h:8000'],
    ['--base-url http://h:9/v1', 'http://h:9/v1'],
    ['--host ::1 --port 9', 'http://[::1]:9'],
    ['--port 9', 'http://127.0.0.1:9'],
  ])('%s is the URL %s', (given, url) => {
    expect(read(`bench ${given}`).invocation.arguments).toEqual([url]);
  });

  test('are explained in one line, without values that may be secret', async () => {
    const given =
      "bench URL -H 'Authorization: Bearer s3cret' --num-prompts 5 --goodput ttft:500 --save-result";
    const { run, stderr } = madeUpProcess([...(shellWords(given) ?? []), '--max-failures', 'x']);
    await run();
    expect(read(given).notes).toEqual([
      'interpreted -H as --header, --num-prompts as --requests, --goodput as --slo ttft=500ms',
      expect.stringContaining('--save-result: the run directory contains every sample'),
    ]);
    expect(stderr.text).not.toContain('s3cret');
  });

  test('of ours and of another tool for one thing are given twice', () => {
    expect(() => read(`bench ${URL_GIVEN} --requests 5 --num-prompts 6`)).toThrow(
      '--requests is given twice',
    );
  });

  test.each([
    ['-n -c 5', '-n needs a value'],
    ['-n', '-n needs a value'],
    ['--goodput', '--goodput needs a value'],
    ["--goodput=''", '--goodput needs a value'],
    ['--request-rate', '--request-rate needs a value'],
    ['--isl --osl 5', '--isl needs a value'],
    ['--url', '--url needs a value'],
    ['--extra-inputs \'{"min_p":0.1\'', '--body: it is not a JSON object'],
  ])('%s is refused', (given, problem) => {
    expect(() => read(`bench ${URL_GIVEN} ${given}`)).toThrow(problem);
  });

  test('are unknown where no option of ours has their meaning', () => {
    expect(() => read('up --num-prompts 5')).toThrow('unknown option --num-prompts');
    expect(() => read(`line ${URL_GIVEN} --slo ttft=1s --num-prompts 5`)).toThrow('unknown option');
  });

  test('are unknown in a stored command', () => {
    expect(() =>
      parseCommandLine(['bench', URL_GIVEN, '--num-prompts', '5'], COMMANDS, { isStored: true }),
    ).toThrow('unknown option --num-prompts');
  });

  test('have one meaning each', () => {
    const names = [
      ...TOOL_OPTIONS.flatMap(option => option.names),
      ...COMMANDS.filter(({ name }) => name === 'bench').flatMap(({ options }) =>
        options.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      ),
    ];
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

test.each([
  ['vllm bench serve --model m --num-prompts 10', 'plimsoll bench http://127.0.0.1:8000 --api completions'],
  ['python3 -m sglang.bench_serving --backend sglang --num-prompts 10', '--requests 10'],
  ['genai-perf profile -m m --url h:8000 --concurrency 1', 'plimsoll bench http://h:8000'],
  ['oha -n 200 -c 50 http://h:1', 'plimsoll bench http://h:1 --requests 200 --concurrency 50'],
  ['oha -z 10s -c 50 http://h:1', 'plimsoll bench http://h:1 --duration 10s --concurrency 50'],
  ['wrk -t12 -c400 -d30s http://h:1/v1', 'plimsoll bench http://h:1/v1 --concurrency 400 --duration 30s'],
  ['k6 run --vus 10 --duration 30s script.js', '--concurrency 10 --duration 30s'],
  ['llama-bench -m model.gguf -p 512', 'plimsoll bench http://127.0.0.1:8080 --profile depth'],
])('%s prints the command of ours', async (given, ours) => {
  const { run, stderr } = madeUpProcess(shellWords(given) ?? []);
  expect(await run()).toBe(2);
  expect(stderr.text).toContain(ours);
});

test.each([
  ['vllm bench serve', 'vllm is another tool'],
  ['k6 run x.js', 'k6 is another tool'],
])('%s is refused with the advice to give the whole command', async (given, problem) => {
  const { run, stderr } = madeUpProcess(shellWords(given) ?? []);
  expect(await run()).toBe(2);
  expect(stderr.text).toContain(problem);
  expect(stderr.text).toContain('Give the whole command');
});
