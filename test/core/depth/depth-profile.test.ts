import { expect, test } from 'vitest';
import { type DepthPlan, depthRequests } from '../../../src/core/depth/depth-plan.ts';
import {
  type DepthRow,
  type DepthSample,
  depthProfile,
  depthTestName,
} from '../../../src/core/depth/depth-profile.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { depthLines, plusMinusText } from '../../../src/render/run/depth-text.ts';
import { depthMarkdown } from '../../../src/report/markdown/run-markdown.ts';

const SECOND = 1e9;

const planOf = (changes: Partial<DepthPlan> = {}): DepthPlan => ({
  depths: [0, 4_096],
  promptTokens: 512,
  outputTokens: 128,
  repetitions: 2,
  skipped: [],
  sizeBytes: unknown('not reported'),
  parameters: unknown('not reported'),
  contextMax: unknown('not reported'),
  ...changes,
});

/** A server that reads 1,000 tokens a second and writes 50, and keeps what it read or not. */
const answered = (
  plan: DepthPlan,
  {
    caches,
    reports = true,
    outputTokens = 128,
  }: { caches: boolean; reports?: boolean; outputTokens?: number },
): readonly DepthSample[] =>
  depthRequests(plan).map((request, index) => {
    const depth = request.kind === 'lead' ? 0 : request.depth;
    const inputTokens = request.kind === 'opening' ? Math.max(depth, 10) : Math.max(depth, 10) + 512;
    const cached = caches && request.kind === 'extension' ? Math.max(depth, 10) : 0;
    return {
      index,
      inputTokens,
      outputTokens: request.kind === 'opening' ? outputTokens : 2,
      cachedTokens: reports ? cached : undefined,
      ttftNs: ((inputTokens - cached) * SECOND) / 1_000,
      tpotNs: SECOND / 50,
      problem: undefined,
    };
  });

const rateOf = (rows: readonly DepthRow[], name: string): string => {
  const row = rows.find(each => depthTestName(each, planOf()) === name);
  return row === undefined ? 'no row' : plusMinusText(row.tokensPerSecond);
};

test('a context as long as the prompt behind it has a name of its own', () => {
  const plan = { ...planOf(), depths: [0, 512] };
  const { rows } = depthProfile(plan, []);
  expect(rows.map(row => depthTestName(row, plan))).toEqual([
    'pp512',
    'tg128',
    'pp512 context',
    'pp512 @ d512',
    'tg128 @ d512',
  ]);
});

test.each([
  { caches: true, reports: true, prefix: 'cached' },
  { caches: false, reports: true, prefix: 'read' },
  { caches: true, reports: false, prefix: 'cached' },
  { caches: false, reports: false, prefix: 'read' },
] as const)(
  'prompt processing after a context has the same speed, cached: $caches, cached tokens reported: $reports',
  how => {
    const { rows } = depthProfile(planOf(), answered(planOf(), how));
    expect(rateOf(rows, 'pp512 @ d4096')).toBe('1000.00 ± 0.00');
    expect(rateOf(rows, 'pp4096')).toBe('1000.00 ± 0.00');
    expect(rateOf(rows, 'pp512')).toBe(how.caches && !how.reports ? '1019.53 ± 0.00' : '1000.00 ± 0.00');
    expect(rateOf(rows, 'tg128 @ d4096')).toBe('50.00 ± 0.00');
    expect(rows.find(row => depthTestName(row, planOf()) === 'pp512 @ d4096')?.prefix).toBe(how.prefix);
  },
);

test('a context as short as the prompt behind it is not judged by times', () => {
  const plan = planOf({ depths: [200] });
  const { rows } = depthProfile(plan, answered(plan, { caches: true, reports: false }));
  const row = rows.find(({ test: name }) => name === 'reading');
  expect(row !== undefined && isUnknown(row.tokensPerSecond)).toBe(true);
});

test('answers shorter than asked are reported, and those of a few tokens give no speed', () => {
  const short = depthProfile(planOf(), answered(planOf(), { caches: true, outputTokens: 40 }));
  expect(depthLines(short).join('\n')).toContain('tg128 @ d4096: answers had 40 of 128 tokens');
  const tiny = depthProfile(planOf(), answered(planOf(), { caches: true, outputTokens: 3 }));
  expect(depthLines(tiny).join('\n')).toContain('an answer of 3 tokens is too short to measure');
});

test('what failed or was left out has its reason beneath the table', () => {
  const plan = planOf({ skipped: [{ depth: 32_768, reason: 'the server has room for 8192 tokens' }] });
  const samples = answered(plan, { caches: true }).map(sample =>
    sample.index >= 5 ? { ...sample, problem: '400 too long' } : sample,
  );
  const text = depthLines(depthProfile(plan, samples)).join('\n');
  expect(text).toContain('tg128 @ d4096: 400 too long');
  expect(text).toContain('d32768: skipped, the server has room for 8192 tokens');
});

test('Markdown has the columns that users of llama-bench post', () => {
  const plan = planOf({ sizeBytes: 4_920_000_000, parameters: 8_030_000_000 });
  const lines = depthMarkdown(depthProfile(plan, answered(plan, { caches: true })), {
    model: 'llama-8b',
    serverKind: 'llama.cpp',
  });
  expect(lines[0]).toBe('| model | size | params | backend | test | t/s |');
  expect(lines).toContain(
    '| ` llama-8b ` | 4.58 GiB | 8.03 B | llama.cpp | pp512 @ d4096 | 1000.00 ± 0.00 |',
  );
});
