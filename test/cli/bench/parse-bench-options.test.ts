import { describe, expect, test } from 'vitest';
import { apisOfPath, SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import type { LoadStages } from '../../../src/cli/bench/load-stages.ts';
import {
  type ParsedBenchOptions,
  parseBenchOptions,
  streamingOf,
} from '../../../src/cli/bench/parse-bench-options.ts';
import { CommandError } from '../../../src/cli/command-error.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';

const COMMANDS = await allCommands();

const URL_GIVEN = 'http://127.0.0.1:8000';

const options = (...args: string[]): ParsedBenchOptions => parsedFor(URL_GIVEN, ...args);

const parsedFor = (url: string, ...args: string[]): ParsedBenchOptions => {
  const line = parseCommandLine(['bench', url, ...args], COMMANDS);
  if (line.kind !== 'run') throw new Error(`${line.kind} instead of a command`);
  return parseBenchOptions(line.invocation, '/somewhere');
};

const staged = (stages: LoadStages, ...args: string[]): ParsedBenchOptions => {
  const line = parseCommandLine(['bench', URL_GIVEN, '--stages', 'given', ...args], COMMANDS);
  if (line.kind !== 'run') throw new Error(`${line.kind} instead of a command`);
  return parseBenchOptions(line.invocation, '/somewhere', stages);
};

const refusal = (...args: string[]): string => refusalFor(URL_GIVEN, ...args);

const refusalFor = (url: string, ...args: string[]): string => {
  try {
    parsedFor(url, ...args);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    expect(error.exitCode).toBe(EXIT_CODES.usage.code);
    expect(error.problem.advice).not.toBe('');
    return error.message;
  }
  throw new Error(`${args.join(' ')} was taken`);
};

describe('a benchmark', () => {
  test('needs nothing but a URL', () => {
    expect(options()).toMatchObject({
      api: SERVER_APIS[0],
      model: undefined,
      pattern: { kind: 'concurrency', concurrency: 8 },
      samplesMax: undefined,
      durationMs: 30_000,
      dataset: { kind: 'synthetic' },
      hasNonce: true,
      isStreaming: true,
      timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 600_000 },
      warmup: { kind: 'default' },
      seed: 42,
      hasEventLog: false,
      objectives: [],
    });
  });

  test('is what its options report, and every one of them has an effect', () => {
    const plain = JSON.stringify(options());
    const changes: readonly (readonly [string[], object])[] = [
      [['--model', 'm'], { model: 'm' }],
      [['--requests', '7'], { samplesMax: 7, durationMs: undefined }],
      [['--duration', '2m'], { durationMs: 120_000 }],
      [['--concurrency', '64'], { pattern: { kind: 'concurrency', concurrency: 64 } }],
      [['--rate', '12.5'], { pattern: { kind: 'poisson', requestsPerSecond: 12.5 } }],
      [['--rate', '3', '--arrival', 'constant'], { pattern: { kind: 'constant', requestsPerSecond: 3 } }],
      [
        ['--rate', '3', '--burstiness', '0.5'],
        { pattern: { kind: 'gamma', requestsPerSecond: 3, burstiness: 0.5 } },
      ],
      [['--rate', '3', '--burstiness', '1'], { pattern: { kind: 'poisson', requestsPerSecond: 3 } }],
      [['--rate', '3', '--burstiness', 'inf'], { pattern: { kind: 'constant', requestsPerSecond: 3 } }],
      [
        ['--rate', '3', '--arrival-smoothness', '4'],
        { pattern: { kind: 'gamma', requestsPerSecond: 3, burstiness: 4 } },
      ],
      [['--max-throughput'], { pattern: { kind: 'max-throughput' } }],
      [
        ['--dataset', 'a.jsonl', '--prompt-column', 'q'],
        { dataset: { kind: 'file', path: '/somewhere/a.jsonl', shownPath: 'a.jsonl', column: 'q' } },
      ],
      [['--ramp', '30s'], { shape: { rampMs: 30_000, warmupMs: 0, steps: [] } }],
      [['--warmup-duration', '10s'], { shape: { rampMs: 0, warmupMs: 10_000 } }],
      [['--rate', '5', '--max-in-flight', '3'], { shape: { inFlightCap: 3 } }],
      [
        ['--name', 'before', '--tag', 'a=1', '--tag', 'b=x=y'],
        { name: 'before', tags: { a: '1', b: 'x=y' } },
      ],
      [['--no-nonce'], { hasNonce: false }],
      [['--no-guard'], { isUnguarded: true }],
      [['--real-time'], { hasRealTimeThreads: true }],
      [['--output-tokens', '64'], { requests: { outputTokens: { kind: 'fixed', value: 64 } } }],
      [
        ['--output-tokens', 'file:h.json'],
        { requests: { outputTokens: { kind: 'file', path: '/somewhere/h.json', shownPath: 'h.json' } } },
      ],
      [
        ['--input-tokens', 'normal(1024,200)'],
        { requests: { inputTokens: { kind: 'normal', mean: 1_024, deviation: 200 } } },
      ],
      [
        ['--turns', '2..8', '--think-time', '1s..5s', '--sessions', '40'],
        {
          sessions: {
            turns: { kind: 'uniform', min: 2, max: 8 },
            thinkTime: { kind: 'uniform', minMs: 1_000, maxMs: 5_000 },
            answers: 'live',
          },
          samplesMax: 40,
          shape: { sessions: { concurrencyOf: 'sessions' } },
        },
      ],
      [
        ['--multi-turn', '--dataset', 'f', '--answers', 'recorded', '--concurrency-of', 'requests'],
        {
          sessions: { turns: undefined, thinkTime: undefined, answers: 'recorded' },
          shape: { sessions: { concurrencyOf: 'requests' } },
        },
      ],
      [['--hit-rate', '60%'], { requests: { hitRate: 0.6, prefixes: { tokens: 192, count: 1 } } }],
      [
        ['--hit-rate', '60%', '--input-tokens', '700..900', '--prefixes', '4'],
        { requests: { hitRate: 0.6, prefixes: { tokens: expect.closeTo(1_200, -2), count: 4 } } },
      ],
      [['--prefix-tokens', '2048'], { requests: { prefixes: { tokens: 2_048, count: 1 } } }],
      [
        ['--prefix-tokens', '2048', '--prefixes', '4'],
        { requests: { prefixes: { tokens: 2_048, count: 4 } } },
      ],
      [
        ['--temperature', '0.7', '--top-p', '0.95', '--seed-sampling', '3'],
        { requests: { fields: { temperature: 0.7, top_p: 0.95, seed: 3 } } },
      ],
      [
        ['--body', '{"top_k":40,"stop":["x"],"stream_options":null}'],
        { requests: { fields: { top_k: 40, stop: ['x'], stream_options: null } } },
      ],
      [['--streaming', 'off'], { isStreaming: false }],
      [
        ['--timeout', '5s'],
        { timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 } },
      ],
      [['--timeout-connect', '1s'], { timeouts: { connectMs: 1_000 } }],
      [['--timeout-first-byte', '1s'], { timeouts: { firstByteMs: 1_000 } }],
      [['--timeout-idle', '500ms'], { timeouts: { idleMs: 500 } }],
      [['--warmup', '9'], { warmup: { kind: 'requests', count: 9 } }],
      [['--no-warmup', '--model', 'm'], { warmup: { kind: 'none' } }],
      [['--seed', '7'], { seed: 7 }],
      [['--events', 'on'], { hasEventLog: true }],
      [
        ['--slo', 'ttft=500ms', '--slo', 'latency=2s,tpot=50ms'],
        {
          objectives: [
            { name: 'ttft', limitNs: 5e8 },
            { name: 'latency', limitNs: 2e9 },
            { name: 'tpot', limitNs: 5e7 },
          ],
        },
      ],
      [
        ['--slo', 'ttft.p95=500ms,tpot.p99.9=50ms,latency.mean=3s,error-rate=0.1%'],
        {
          objectives: [
            { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 5e8 },
            { kind: 'percentile', name: 'tpot', percentile: 99.9, limitNs: 5e7 },
            { kind: 'mean', name: 'latency', limitNs: 3e9 },
            { kind: 'error-rate', limitShare: 0.001 },
          ],
          attainment: 0.95,
        },
      ],
      [['--slo', 'ttft=1s', '--attainment', '95%'], { attainment: 0.95 }],
    ];
    for (const [args, expected] of changes) {
      expect(options(...args), args.join(' ')).toMatchObject(expected);
      expect(JSON.stringify(options(...args))).not.toBe(plain);
    }
  });

  test('asks for what --api names, else for what the URL is the endpoint of', () => {
    expect(options('--api', 'auto').api).toBe(SERVER_APIS[0]);
    for (const api of SERVER_APIS) {
      const endpoint = `${URL_GIVEN}${api.root}${api.endpoint}`;
      expect(options('--api', api.name).api).toBe(api);
      const ofUrl = apisOfPath(`${api.root}${api.endpoint}`);
      expect(ofUrl).toContain(api);
      expect(parsedFor(endpoint).api).toBe(ofUrl[0]);
      expect(parsedFor(`${endpoint}/?key=k`, '--api', api.name).api).toBe(api);
      for (const { name } of SERVER_APIS.filter(other => !ofUrl.includes(other))) {
        expect(refusalFor(endpoint, '--api', name)).toContain(`endpoint of the API ${ofUrl[0]?.name}`);
      }
    }
    expect(refusal('--api', 'chta')).toContain('Did you mean chat?');
  });

  test('asks for a stream where the API has streams, unless it is not to', () => {
    expect(streamingOf({ name: 'a', canStream: true }, undefined)).toBe(true);
    expect(streamingOf({ name: 'a', canStream: true }, 'off')).toBe(false);
    expect(streamingOf({ name: 'a', canStream: false }, undefined)).toBe(false);
    expect(() => streamingOf({ name: 'a', canStream: false }, 'on')).toThrow(/the API a has no streams/);
  });

  test('of rankings has as many documents as are given, and else as many as the default', () => {
    expect(options('--api', 'rerank', '--documents', '3')).toMatchObject({
      documents: 3,
      isStreaming: false,
    });
    expect(options('--api', 'rerank').documents).toBeUndefined();
    expect(refusal('--documents', '3')).toContain(
      '--documents has no effect with the API chat. Add --api rerank',
    );
    expect(refusal('--api', 'rerank', '--documents', '3', '--dataset', 'd.jsonl')).toContain(
      'cannot be combined',
    );
    for (const count of ['0', '1001', '1.5', 'x'])
      expect(refusal('--api', 'rerank', '--documents', count)).toContain('from 1 to 1000');
  });

  test('with options that cannot be combined is refused, with what to write instead', () => {
    expect(refusal('--requests', '5', '--duration', '5s')).toContain('cannot be combined');
    expect(refusal('--concurrency', '5', '--rate', '5')).toMatch(
      /--concurrency and --rate cannot be combined.*\. Use one of them/,
    );
    expect(refusal('--max-throughput', '--rate', '5')).toContain('cannot be combined');
    expect(refusal('--arrival', 'constant')).toContain('--rate 10 --arrival constant');
    expect(refusal('--prompt-column', 'q')).toContain('--dataset FILE --prompt-column q');
    expect(refusal('--warmup', '5', '--no-warmup', '--model', 'm')).toContain('cannot be combined');
    expect(refusal('--no-warmup')).toContain('--no-warmup --model M');
    expect(refusal('--timeout', '1s', '--timeout-idle', '2s')).toContain('--timeout 2000ms');
    expect(refusal('--timeout-first-byte', '11m')).toContain('the 10m of --timeout');
    expect(refusal('--slo', 'ttft=1s', '--slo', 'ttft=2s')).toContain('given twice');
    expect(refusal('--slo', 'ttft.p95=1s', '--slo', 'ttft.p95=2s')).toContain('given twice');
    expect(refusal('--attainment', '99%')).toContain('--slo ttft=500ms --attainment 95%');
    expect(refusal('--slo', 'ttft=1s', '--streaming', 'off')).toContain('needs a stream');
    expect(refusal('--slo', 'tpot.mean=1s', '--streaming', 'off')).toContain('needs a stream');
    expect(refusal('--slo', 'ttft-from-intended=1s')).toContain('--slo ttft=500ms');
    expect(refusal('--input-tokens', '9', '--dataset', 'a')).toContain('sent as they are');
    expect(refusal('--prefix-tokens', '9', '--dataset', 'a')).toContain('sent as they are');
    expect(refusal('--hit-rate', '60%', '--dataset', 'a')).toContain('sent as they are');
    expect(refusal('--hit-rate', '60%', '--trace', 'a')).toContain('--hit-rate cannot be combined');
    expect(refusal('--hit-rate', '60%', '--turns', '3')).toContain('history of a session is cached too');
    expect(refusal('--hit-rate', '60%', '--no-nonce')).toContain('cached as a whole');
    expect(refusal('--hit-rate', '60%', '--prefix-tokens', '9')).toContain('how long the shared prefix is');
    expect(refusal('--hit-rate', '60%', '--system-prompt', 'a b')).toContain('a system prompt');
    expect(refusal('--hit-rate', '60%', '--input-tokens', 'file:a.json')).toContain('128:60,512:30');
    expect(refusal('--hit-rate', '99.999%', '--input-tokens', '512')).toContain('which is not from 1 to');
    expect(refusal('--think-time', '2s')).toContain('--turns 4');
    expect(refusal('--turns', '3', '--history', 'server')).toContain('--api responses');
    expect(refusal('--history', 'server')).toContain('--turns 4');
    expect(refusal('--multi-turn')).toContain('--dataset FILE --multi-turn');
    expect(refusal('--turns', '3', '--dataset', 'f')).toContain('--multi-turn');
    expect(refusal('--turns', '3', '--requests', '9')).toContain('--sessions 100');
    expect(refusal('--turns', '3', '--rate', '2', '--concurrency-of', 'requests')).toContain('A rate');
    expect(refusal('--turns', '3', '--ramp', '5s', '--concurrency-of', 'requests')).toContain(
      '--concurrency-of sessions',
    );
    expect(refusal('--prefixes', '9')).toContain('--prefix-tokens 1024 --prefixes 9');
    expect(refusal('--temperature', '1', '--body', '{"temperature":2}')).toContain('cannot be combined');
    expect(refusal('--output-tokens', '9', '--body', '{"max_completion_tokens":9}')).toContain(
      'cannot be combined',
    );
  });

  test('with values that cannot be is refused, with what to write instead', () => {
    expect(refusal('--requests', '0')).toContain('from 1 to');
    expect(refusal('--warmup', '0')).toContain('Use --no-warmup');
    expect(refusal('--output-tokens', 'norml(9,1)')).toContain('Did you mean normal(9,1)?');
    expect(refusal('--input-tokens', '0')).toContain('from 1 to 1000000');
    for (const share of ['100%', '0%', '60']) expect(refusal('--hit-rate', share)).toContain('60%');
    expect(refusal('--turns', '3', '--think-time', '9')).toContain('1s..5s');
    expect(refusal('--turns', 'many')).toContain('2..8');
    expect(refusal('--slo', 'turn 2+ ttft.p95=1s')).toContain('needs sessions');
    expect(refusal('--turns', '3', '--slo', 'turn 2+ ttft=1s')).toContain('not of single turns');
    expect(refusal('--turns', '3', '--slo', 'turn 2+ session.p95=1s')).toContain('not of single turns');
    expect(refusal('--turns', '3', '--slo', 'turn 1+ ttft.p95=1s')).toContain('--slo ttft.p95=1s');
    expect(refusal('--temperature', 'hot')).toContain('--temperature 0.7');
    expect(refusal('--top-p', '1.1')).toContain('from 0 to 1');
    expect(refusal('--body', 'top_k=3')).toContain('--body \'{"top_k": 40}\'');
    expect(refusal('--body', '{"model":"m"}')).toContain('--model M');
    expect(refusal('--body', '{"stream":false}')).toContain('--streaming');
    expect(refusal('--body', '{"max_tokens":9}')).toContain('--output-tokens 9');
    expect(refusal('--body', `{"a":"${'x'.repeat(20_000)}"}`)).toContain('16384');
    expect(refusal('--requests', '1e3')).toContain('Write digits alone');
    expect(refusal('--concurrency', '-1')).toContain('--concurrency');
    expect(refusal('--rate', '0')).toContain('requests a second');
    expect(refusal('--duration', '30')).toContain('500ms, 3s, 2m');
    expect(refusal('--duration', '0s')).toContain('out of range');
    expect(refusal('--streaming', 'offf')).toContain('Did you mean off?');
    expect(refusal('--arrival', 'posson', '--rate', '1')).toContain('Did you mean poisson?');
    expect(refusal('--slo', 'tftt=5s')).toContain('Did you mean --slo ttft=5s?');
    expect(refusal('--slo', 'ttft')).toContain('Did you mean --slo ttft=500ms?');
    expect(refusal('--slo', 'eror-rate')).toContain('Did you mean --slo error-rate=0.1%?');
    expect(refusal('--slo', 'ttft.95=1s')).toContain('--slo ttft.p95=1s');
    expect(refusal('--slo', 'ttft.p100=1s')).toContain('--slo ttft.p95=1s');
    expect(refusal('--slo', 'error-rate=0.1')).toContain('--slo error-rate=0.1%');
    expect(refusal('--slo', 'ttft=1s', '--attainment', '0.95')).toContain('--attainment 95%');
    expect(refusal('--seed', '-1')).toContain('--seed');
    expect(refusal('--requets', '1')).toContain('Did you mean --requests?');
  });

  test('that moves has the highest level as its pattern, and its stages as its length', () => {
    const steps = [
      { from: 5, to: 20, durationMs: 60_000 },
      { from: 20, to: 20, durationMs: 30_000 },
    ];
    expect(staged({ by: 'rate', steps }, '--arrival', 'constant')).toMatchObject({
      pattern: { kind: 'constant', requestsPerSecond: 20 },
      shape: { steps },
      durationMs: 90_000,
      samplesMax: undefined,
    });
    expect(staged({ by: 'concurrency', steps }, '--ramp', '5s')).toMatchObject({
      pattern: { kind: 'concurrency', concurrency: 20 },
      shape: { steps, rampMs: 5_000 },
    });
    for (const [args, problem] of [
      [['--rate', '5'], '--rate and --stages cannot be combined'],
      [['--duration', '5s'], '--stages and --duration cannot be combined'],
      [['--requests', '5'], '--stages and --requests cannot be combined'],
    ] as const) {
      expect(() => staged({ by: 'rate', steps }, ...args)).toThrow(problem);
    }
    expect(() => staged({ by: 'concurrency', steps }, '--arrival', 'poisson')).toThrow('no effect');
    expect(() => staged({ by: 'concurrency', steps }, '--max-in-flight', '5')).toThrow(
      'no effect without a rate',
    );
  });

  test('refuses shapes and names that cannot be', () => {
    expect(refusal('--max-in-flight', '5')).toContain('no effect without --rate');
    expect(refusal('--no-warmup', '--model', 'm', '--ramp', '5s')).toContain('--ramp and --no-warmup');
    expect(refusal('--no-warmup', '--model', 'm', '--warmup-duration', '5s')).toContain(
      '--warmup-duration and',
    );
    expect(refusal('--tag', 'a=1', '--tag', 'a=2')).toContain('--tag a is given twice');
    for (const tag of ['a', '=1', '1=a', 'a b=c', 'a=', '__proto__=1', 'a=x\u001b[0m'])
      expect(refusal('--tag', tag)).toContain('is not a tag');
    expect(refusal('--name', 'x'.repeat(101))).toContain('too long');
    const many = Array.from({ length: 17 }, (_, index) => ['--tag', `k${index}=v`]).flat();
    expect(refusal(...many)).toContain('17 tags are too many');
  });

  test('asks nobody for a header in a message', () => {
    for (const header of ['X-Key s3cret', 'X-Key: s3cret\nx: y', 'Host: s3cret', 'X Y: s3cret']) {
      expect(refusal('--header', header)).not.toContain('s3cret');
    }
    expect(refusal('--header', 'content-length: 5')).toContain('written by the client itself');
  });
});
