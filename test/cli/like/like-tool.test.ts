import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBenchOptions } from '../../../src/cli/bench/parse-bench-options.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import type { LikeTool } from '../../../src/cli/like/like-command.ts';
import { likeText } from '../../../src/cli/like/like-tool.ts';
import { requestedLoads } from '../../../src/cli/sweep/sweep-options.ts';
import { shellWords } from '../../../src/core/text/shell-words.ts';

const COMMANDS = await allCommands();

const like = (tool: LikeTool, text: string) => {
  const result = likeText(tool, text);
  if (result.kind === 'wrong') throw new Error(result.problem);
  return result.value;
};

describe('the command of another tool becomes one of ours', () => {
  test.each<[LikeTool, string, string, readonly string[]]>([
    [
      'vllm',
      `vllm bench serve --backend openai-chat --base-url http://h:1 --endpoint /v1/chat/completions \\
        --model org/m --dataset-name random --random-input-len 1000 --random-output-len 200 --random-range-ratio 0.1 \\
        --num-prompts 500 --max-concurrency 32 --ignore-eos --seed 7 --goodput ttft:500 e2el:2000 --save-result --percentile-metrics ttft`,
      'plimsoll bench http://h:1 --api chat --model org/m --requests 500 --concurrency 32 --output-tokens 180..221 --input-tokens 900..1100 --seed 7 --slo ttft=500ms --slo latency=2000ms',
      ['plimsoll report DIR --as vllm'],
    ],
    [
      'vllm',
      'vllm bench serve --model=m --host 10.0.0.1 --port=9 --request-rate 4 --burstiness 0.5 --max-concurrency 8 --num-prompts 10 --extra-body \'{"top_k":5}\' --lora-modules a b',
      'plimsoll bench http://10.0.0.1:9 --api completions --model m --requests 10 --rate 4 --max-in-flight 8 --burstiness 0.5 --output-tokens 128 --input-tokens 1024 --body \'{"top_k":5}\' --seed 0',
      ['stretches', 'may end early', 'no counterpart here: --lora-modules'],
    ],
    [
      'vllm',
      'vllm bench serve --model m --host ::1 --port 8000 --num-prompts 10 --max-concurrency 2',
      "plimsoll bench 'http://[::1]:8000' --api completions --model m --requests 10 --concurrency 2 --output-tokens 128 --input-tokens 1024 --seed 0",
      ['may end early'],
    ],
    [
      'vllm',
      'vllm bench serve --model m --dataset-name prefix_repetition --num-prompts 20 --prefix-repetition-num-prefixes 4',
      'plimsoll bench http://127.0.0.1:8000 --api completions --model m --requests 20 --concurrency 20 --prefix-tokens 256 --prefixes 4 --input-tokens 256 --output-tokens 128 --seed 0',
      ['all requests at once'],
    ],
    [
      'aiperf',
      'aiperf profile -m m --url h:8000 --endpoint-type chat --streaming --concurrency 10 --request-count 100 --synthetic-input-tokens-mean 300 --synthetic-input-tokens-stddev 30 --osl 64 --goodput "time_to_first_token:100 inter_token_latency:3.4" --extra-inputs ignore_eos:true --extra-inputs min_p:0.1 --warmup-request-count 5 --ui simple',
      "plimsoll bench http://h:8000 --api chat --model m --requests 100 --concurrency 10 --input-tokens 'normal(300,30)' --output-tokens 64 --body '{\"min_p\":0.1}' --warmup 5 --slo ttft=100ms --slo tpot=3.4ms",
      [],
    ],
    [
      'aiperf',
      'aiperf profile --model m --request-rate 5 --benchmark-duration 60 --input-file a.jsonl',
      'plimsoll bench http://localhost:8000 --api chat --model m --duration 60s --rate 5 --dataset a.jsonl --prompt-column text --no-nonce --streaming off',
      [],
    ],
    [
      'guidellm',
      'guidellm benchmark --target http://h:1 --rate-type constant --rate 2,4 --max-seconds 30 --data "prompt_tokens=256,output_tokens=128"',
      'plimsoll sweep http://h:1 --api chat --duration 30s --rates 2,4 --arrival constant --input-tokens 256 --output-tokens 128',
      [],
    ],
    [
      'guidellm',
      'guidellm benchmark run --target http://h:1 --profile sweep --max-requests 9 --data a.jsonl',
      'plimsoll sweep http://h:1 --api chat --rates 1..64x2 --dataset a.jsonl --no-nonce',
      ['guidellm measures the highest rate first', 'the stages of a sweep end after a time'],
    ],
    [
      'guidellm',
      'guidellm run --backend kind=openai_http,target=http://h:1,model=m --profile kind=concurrent,streams=4 --constraint kind=max_requests,count=40 --constraint kind=max_duration,seconds=30 --data kind=synthetic_text,prompt_tokens=64,output_tokens=20 --tokenizer kind=huggingface_auto,model=DIR --seed kind=static,value=7',
      'plimsoll bench http://h:1 --api chat --model m --requests 40 --concurrency 4 --input-tokens 64 --output-tokens 20 --seed 7',
      ['for its time give --duration 30s'],
    ],
    [
      'guidellm',
      "guidellm run --backend kind=openai_http,target=http://h:1 --profile 'kind=poisson,rate=[2,4]' --constraint kind=over_saturation --data kind=json_file,path=a.jsonl --output kind=json",
      'plimsoll sweep http://h:1 --api chat --rates 2,4 --dataset a.jsonl --no-nonce',
      ['the constraint over_saturation', '--as guidellm'],
    ],
  ])('of %s: %s', (tool, text, command, notes) => {
    const reported = like(tool, text);
    expect(reported.command).toBe(command);
    const [, ...args] = shellWords(reported.command) ?? [];
    const line = parseCommandLine(args, COMMANDS);
    if (line.kind !== 'run') throw new Error('plimsoll does not take its own command');
    if (line.command.name === 'sweep') expect(requestedLoads(line.invocation).length).toBeGreaterThan(1);
    else expect(parseBenchOptions(line.invocation, '/').target.shown).toMatch(/^http/);
    expect(reported.notes).toEqual(notes.map(note => expect.stringContaining(note)));
  });

  test('what is no command is refused with words', () => {
    expect(likeText('vllm', "vllm bench serve --model 'm")).toMatchObject({ kind: 'wrong' });
    expect(likeText('aiperf', 'http://127.0.0.1:8000')).toMatchObject({ kind: 'wrong' });
  });

  test('nothing that a shell would run comes through', () => {
    expect(like('vllm', 'vllm bench serve --model "$(reboot)" --num-prompts 1').command).toContain(
      "--model '$(reboot)'",
    );
  });
});

test('words are cut as a shell cuts them', () => {
  expect(shellWords(`a  'b c' "d \\"e\\" \\n" f\\ g \\\n h'i'"j" ''`)).toEqual([
    'a',
    'b c',
    'd "e" \\n',
    'f g',
    'hij',
    '',
  ]);
  expect(shellWords('a "b')).toBeUndefined();
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), words => {
      const quoted = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      expect(shellWords(quoted)).toEqual(words);
    }),
    { numRuns: 100 },
  );
});
