import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { ForeignFileError } from '../../../src/report/imported/foreign-file.ts';
import { readForeignRuns } from '../../../src/report/imported/read-foreign-runs.ts';
import { detailedVllm, EXPECTED, writtenAs } from './foreign-texts.ts';

const WRITTEN_AT = '2026-01-31T14:25:01.000Z';
const runOf = (text: string, beside?: string) => readForeignRuns(text, { beside, writtenAt: WRITTEN_AT })[0];
const locationOf = (text: string): string => {
  try {
    readForeignRuns(text, { beside: undefined, writtenAt: WRITTEN_AT });
    return 'taken';
  } catch (error) {
    if (error instanceof ForeignFileError) return error.problem.problem;
    throw error;
  }
};
const timesOf = (text: string): readonly (readonly number[])[] => {
  const figures = runOf(text)?.figures;
  if (figures?.kind !== 'requests') return [];
  return figures.samples.map(({ sentNs, firstContentNs, chunkGapsNs, inputTokens, outputTokens }) => [
    firstContentNs - sentNs,
    chunkGapsNs.reduce((sum, gap) => sum + gap, 0),
    inputTokens,
    outputTokens,
  ]);
};
const WANTED = EXPECTED.map(({ sentNs, firstContentNs, chunkGapsNs, inputTokens, outputTokens }) => [
  firstContentNs - sentNs,
  chunkGapsNs.reduce((sum, gap) => sum + gap, 0),
  inputTokens,
  outputTokens,
]);

describe('each request has the times that its tool wrote', () => {
  test.for([
    { tool: 'aiperf', withinNs: 10, text: () => writtenAs('aiperf') },
    // Seconds since 1970 hold 238 ns.
    { tool: 'guidellm', withinNs: 1_000, text: () => writtenAs('guidellm') },
    { tool: 'vllm', withinNs: 10, text: detailedVllm },
  ])('$tool', async ({ tool, withinNs, text }) => {
    const file = await text();
    expect(runOf(file)?.tool).toBe(tool);
    const times = timesOf(file);
    expect(times).toHaveLength(WANTED.length);
    for (const [index, wanted] of WANTED.entries())
      for (const [at, figure] of wanted.entries())
        expect(Math.abs((times[index]?.[at] ?? Number.NaN) - figure)).toBeLessThanOrEqual(withinNs);
  });
});

test("a result of vLLM without its lists keeps vLLM's own figures, and notes that single requests are not reported", async () => {
  const text = await writtenAs('vllm');
  const run = runOf(text);
  const reported = JSON.parse(text);
  expect(run?.figures).toMatchObject({
    kind: 'summary',
    summary: {
      completed: 40,
      failed: 0,
      series: { ttftNs: { percentiles: { '99': Math.round(reported.p99_ttft_ms * 1e6) } } },
    },
  });
  expect(run?.unreported.map(({ what }) => what)).toContain('single requests');
});

test('a duration that is no number of nanoseconds is refused at its position', async () => {
  const text = (await writtenAs('vllm')).replace(/"duration": ?[\d.e+]+/, '"duration": 1e305');
  expect(text).toContain('1e305');
  expect(locationOf(text)).toContain('duration');
});

test('several results of vLLM in one file, as --append-result writes them, are several runs', async () => {
  const text = (await writtenAs('vllm')).trim();
  expect(readForeignRuns(`${text}\n${text}`, { beside: undefined, writtenAt: WRITTEN_AT })).toHaveLength(2);
});

test('what AIPerf reports next to its records names server, model and load', async () => {
  const beside = JSON.stringify({
    aiperf_version: '0.13.0',
    input_config: {
      endpoint: { url: 'http://me:secret@host:8000/v1?key=1', model_names: ['m'], type: 'chat' },
      loadgen: { request_rate: 4 },
    },
  });
  expect(runOf(await writtenAs('aiperf'), beside)).toMatchObject({
    version: '0.13.0',
    run: { target: 'http://host:8000/v1', model: 'm', pattern: { kind: 'poisson', requestsPerSecond: 4 } },
  });
});

test('what AIPerf 0.13 reports of models and phases is read too', async () => {
  const beside = JSON.stringify({
    schema_version: '1.4',
    aiperf_version: '0.13.0',
    input_config: {
      models: { items: [{ name: 'm' }] },
      endpoint: { urls: ['http://host:8000'], type: 'chat', streaming: true },
      phases: [{ name: 'profiling', kind: 'profiling', type: 'concurrency', requests: 40, concurrency: 4 }],
    },
  });
  expect(runOf(await writtenAs('aiperf'), beside)?.run).toMatchObject({
    target: 'http://host:8000',
    model: 'm',
    pattern: { kind: 'concurrency', concurrency: 4 },
  });
});

test.each([
  ['0.5', { kind: 'gamma', burstiness: 0.5 }],
  ['1.0', { kind: 'poisson' }],
  ['"inf"', { kind: 'constant' }],
])('a result of vLLM at burstiness %s keeps how its requests arrived', async (burstiness, arrival) => {
  const text = (await writtenAs('vllm'))
    .replace(/"request_rate":[^,]*/, '"request_rate":4')
    .replace(/"burstiness":[^,]*/, `"burstiness":${burstiness}`);
  expect(runOf(text)?.run.pattern).toEqual({ ...arrival, requestsPerSecond: 4 });
});

test('gamma arrivals of AIPerf keep their smoothness', async () => {
  const beside = (loadgen: object): string =>
    JSON.stringify({ aiperf_version: '0.13.0', input_config: { loadgen } });
  const text = await writtenAs('aiperf');
  const gamma = { kind: 'gamma', requestsPerSecond: 4, burstiness: 0.5 };
  expect(
    runOf(text, beside({ request_rate: 4, arrival_pattern: 'gamma', arrival_smoothness: 0.5 }))?.run.pattern,
  ).toEqual(gamma);
  expect(runOf(text, beside({ rate: 4, type: 'gamma', smoothness: 0.5 }))?.run.pattern).toEqual(gamma);
});

test('a result of SGLang has its totals, its endless rate, and the date of its file', () => {
  const text = `${JSON.stringify({
    backend: 'sglang-oai-chat',
    dataset_name: 'random',
    request_rate: 'RATE',
    max_concurrency: 8,
    duration: 20,
    completed: 100,
    total_input_tokens: 51_200,
    total_output_tokens: 12_800,
    request_throughput: 5,
    output_throughput: 640,
    mean_e2e_latency_ms: 1_500,
    median_e2e_latency_ms: 1_400,
    p99_e2e_latency_ms: 2_000,
    mean_ttft_ms: 120,
    median_ttft_ms: 110,
    p99_ttft_ms: 300,
    mean_itl_ms: 11,
    accept_length: null,
  }).replace('"RATE"', 'Infinity')}\n`;
  expect(runOf(text)).toMatchObject({
    tool: 'sglang',
    run: { startedAt: WRITTEN_AT, api: 'chat', pattern: { kind: 'concurrency', concurrency: 8 } },
    printed: { 'ttft.mean': 1.2e8, 'latency.p99': 2e9, requestsPerSecond: 5, outputTokensPerSecond: 640 },
    figures: {
      kind: 'summary',
      summary: { completed: 100, windowNs: 2e10, series: { ttftNs: { percentiles: { '50': 1.1e8 } } } },
    },
  });
  expect(readForeignRuns(text + text, { beside: undefined, writtenAt: WRITTEN_AT })).toHaveLength(2);
});

test('a result of SGLang counts failed requests if it lists them, and names what it does not contain', () => {
  const result = {
    backend: 'sglang',
    request_rate: 'trace',
    duration: 20,
    completed: 2,
    request_throughput: 0.1,
    mean_e2e_latency_ms: 1_500,
  };
  const read = (more: object) => runOf(JSON.stringify({ ...result, ...more }));
  const named = (run: ReturnType<typeof read>) => run?.unreported.map(({ what }) => what);
  const alone = read({});
  expect(named(alone)).toEqual(expect.arrayContaining(['failed requests', 'load']));
  const detailed = read({ errors: ['', 'Not Found', ''] });
  expect(detailed?.figures).toMatchObject({ kind: 'summary', summary: { completed: 2, failed: 1 } });
  expect(named(detailed)).not.toContain('failed requests');
});

test.for(['vllm', 'guidellm'] as const)('what %s printed is kept next to its requests', async tool => {
  const text = tool === 'vllm' ? await detailedVllm() : await writtenAs(tool);
  const run = runOf(text);
  const mean = WANTED.reduce((sum, [ttft = 0]) => sum + ttft, 0) / WANTED.length;
  expect(run?.figures.kind).toBe('requests');
  expect(Math.abs((run?.printed['ttft.mean'] ?? 0) / mean - 1)).toBeLessThan(1e-4);
  expect(Object.keys(run?.printed ?? {})).toEqual(
    expect.arrayContaining(['tpot.p99', 'itl.p50', 'latency.mean', 'requestsPerSecond']),
  );
});

test('what AIPerf printed is that of the summary next to its records', async () => {
  const { printed } = runOf(await writtenAs('aiperf'), await writtenAs('genai-perf')) ?? {};
  expect(printed).toMatchObject({ 'itl.p99': printed?.['tpot.p99'] });
  expect(printed?.['latency.mean']).toBeGreaterThan(1e8);
});

test('a result of vllm-bench has its date as ISO 8601', async () => {
  const text = (await writtenAs('vllm')).replace(/"date":"[^"]*"/, '"date":"2026-11-23T10:01:58Z"');
  expect(runOf(text)?.run.startedAt).toBe('2026-11-23T10:01:58.000Z');
});

describe('what is wrong is refused with its place', () => {
  const spoil = async (form: 'vllm' | 'guidellm', from: RegExp, to: string): Promise<string> =>
    locationOf((await writtenAs(form)).replace(from, to));

  test('by the path in a JSON file', async () => {
    expect(await spoil('vllm', /"p99_ttft_ms":[^,]*/, '"p99_ttft_ms":"fast"')).toMatch(
      /^the file, p99_ttft_ms: /,
    );
    expect(await spoil('vllm', /"date":[^,]*/, '"date":"today"')).toMatch(/^the file, date: /);
    expect(await spoil('guidellm', /"version":2/, '"version":3')).toMatch(
      /^the file, metadata.version: only schema 2/,
    );
    expect(await spoil('guidellm', /"first_token_iteration":[^,]*/, '"first_token_iteration":1')).toMatch(
      /^benchmarks.0.requests.successful.0: /,
    );
  });

  test('by the line of records', async () => {
    const lines = (await writtenAs('aiperf')).split('\n');
    const damaged = (line: string): string => locationOf(lines.with(11, line).join('\n'));
    expect(damaged('{"torn')).toMatch(/^line 12: no JSON: /);
    expect(damaged((lines[11] ?? '').replace('"unit":"ms"', '"unit":"fortnights"'))).toMatch(
      /^line 12, .*unknown unit/,
    );
    expect(
      damaged(
        (lines[11] ?? '').replace(
          /"time_to_first_token":\{"value":[^,]*/,
          '"time_to_first_token":{"value":-4',
        ),
      ),
    ).toMatch(/^line 12, time_to_first_token: /);
  });

  test('a file of another kind, an empty one, and one that is nested without end', () => {
    expect(locationOf('{"a": 1}')).toMatch(/neither a result of vLLM/);
    expect(locationOf(' \n')).toBe('the file: it is empty');
    expect(locationOf('['.repeat(100_000))).toMatch(
      /^the file: its lists and objects are nested 100000 deep/,
    );
  });
});

/** No reader can detect that a digit was replaced by another one. The run that it reads must still be consistent. */
test.for([
  { tool: 'vllm', text: detailedVllm },
  { tool: 'aiperf', text: () => writtenAs('aiperf') },
  { tool: 'guidellm', text: () => writtenAs('guidellm') },
])(
  'of 100 damaged files of $tool each that is cut is refused, and none ends in anything but words',
  async ({ text }) => {
    const whole = await text();
    const random = seededRandom(7);
    const at = (): number => Math.floor(random.next() * whole.length);
    let refused = 0;
    for (let index = 0; index < 100; index += 1) {
      const from = at();
      const isCut = index % 4 === 0;
      const damaged = isCut
        ? whole.slice(0, Math.min(from, whole.length - 3))
        : index % 4 === 1
          ? whole.slice(0, from) + whole.slice(from + 1 + Math.floor(random.next() * 60))
          : whole.slice(0, from) + DAMAGES[index % DAMAGES.length] + whole.slice(from + 1);
      const location = locationOf(damaged);
      if (location !== 'taken') {
        refused += 1;
        expect(location).toMatch(/^[^:]+: ./);
      } else if (isCut) expect(damaged.endsWith('\n') || damaged.endsWith('}')).toBe(true);
    }
    expect(refused).toBeGreaterThan(40);
  },
);

const DAMAGES = ['\u0000', '"', '}', '-', 'null', 'é', '1e400', ']'];
