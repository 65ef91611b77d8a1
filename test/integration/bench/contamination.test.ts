// Contamination of figures, made on purpose by the mock: each is named, and a run without any names none.

import { describe, expect, test } from 'vitest';
import { contaminationOf } from '../../../src/core/run/contamination.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import type { MockOptions } from '../../../src/mock/mock-settings.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

const CLEAN: MockOptions = { ttftMs: 20, gapMs: 10, outputTokens: 24, prefillTokensPerSecond: 50_000 };
const LOAD = ['--requests', '40', '--concurrency', '8'];

const codesOf = async (settings: MockOptions, args: readonly string[] = LOAD): Promise<readonly string[]> => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ...CLEAN, ...settings });
  const run = await benchHere(folder.path, [mock.url, ...args]);
  const found = contaminationOf(run.report());
  const reported = run.stdout.replace(/\s+/g, ' ').toLowerCase();
  for (const { problem } of knownOr(found, []).slice(0, 1))
    expect(reported).toContain(problem.slice(0, 30).toLowerCase());
  return knownOr(found, [{ code: 'nobody looked' }]).map(({ code }) => code);
};

const LONG = 'a run of a second or more: in npm run test:long';
const FOR_SECONDS = ['--duration', '4s', '--concurrency', '4'];

describe('a run against the mock', () => {
  test('names nothing where nothing spoils its figures', async () => {
    expect(await codesOf({})).toEqual([]);
  });

  test('names what several of its settings spoil at once', async () => {
    const codes = await codesOf({
      cachedShare: 0.5,
      tokensPerChunk: 4,
      answersAs: 'another',
      predictedShare: 0.3,
    });
    expect(codes).toEqual(['other-model', 'prefix-cache', 'merged-chunks', 'speculative-decoding']);
  });

  const CASES: readonly { code: string; settings: MockOptions; args?: readonly string[] }[] = [
    { code: 'prefix-cache', settings: { cachedShare: 0.4 } },
    { code: 'other-model', settings: { answersAs: 'another' } },
    { code: 'error-in-200', settings: { failure: 'error-frame', failEvery: 10 } },
    { code: 'rate-limited', settings: { failure: 'http-429', failEvery: 10 } },
    { code: 'short-answers', settings: { endsEarly: true }, args: [...LOAD, '--output-tokens', '64'] },
    { code: 'one-chunk', settings: { tokensPerChunk: 1_000 } },
    { code: 'burst-chunks', settings: { gapMs: 0, eventsPerWrite: 1_000 } },
    { code: 'merged-chunks', settings: { tokensPerChunk: 3 } },
    { code: 'speculative-decoding', settings: { predictedShare: 0.4 } },
    {
      code: 'flat-ttft',
      settings: { prefillTokensPerSecond: 0 },
      args: ['--requests', '200', '--concurrency', '4', '--input-tokens', '20..400'],
    },
    {
      code: 'identical-prompts',
      settings: {},
      args: ['--requests', '300', '--concurrency', '8', '--no-nonce'],
    },
    {
      code: 'answer-cache',
      settings: { cachesAnswers: true },
      args: ['--requests', '600', '--concurrency', '8', '--no-nonce'],
    },
    {
      code: 'answer-cache',
      settings: { cachesDuplicates: true },
      args: ['--requests', '600', '--concurrency', '8'],
    },
    { code: 'other-clients', settings: { otherRequests: 20 }, args: FOR_SECONDS },
    { code: 'preemption', settings: { preemptEvery: 7 }, args: FOR_SECONDS },
    { code: 'swap', settings: { swappedRequests: 3 }, args: FOR_SECONDS },
  ];

  test.for(CASES)('names $code', async ({ code, settings, args }, { skip }) => {
    if (!isLongRun) skip(LONG);
    expect(await codesOf(settings, args)).toContain(code);
  });

  const CLEANS: readonly { settings: MockOptions; args: readonly string[] }[] = [
    ...[1, 4, 16].map(users => ({
      settings: {},
      args: ['--requests', '120', '--concurrency', String(users)],
    })),
    ...[20, 60].map(rate => ({ settings: {}, args: ['--requests', '80', '--rate', String(rate)] })),
    { settings: { jitter: 0.3 }, args: LOAD },
    { settings: { concurrencyMax: 4 }, args: ['--requests', '40', '--concurrency', '12'] },
    { settings: { reasoningTokens: 6 }, args: LOAD },
    { settings: { outputTokens: { min: 8, max: 40 } }, args: LOAD },
    { settings: {}, args: [...LOAD, '--output-tokens', '24'] },
    { settings: {}, args: [...LOAD, '--output-tokens', '10..40'] },
    { settings: {}, args: ['--requests', '200', '--concurrency', '2', '--input-tokens', '20..800'] },
    { settings: {}, args: [...LOAD, '--streaming', 'off'] },
    { settings: {}, args: [...LOAD, '--api', 'completions'] },
    { settings: {}, args: [...LOAD, '--prefix-tokens', '40'] },
    { settings: {}, args: ['--requests', '100', '--concurrency', '4', '--no-nonce'] },
    { settings: { usage: 'never' }, args: LOAD },
    { settings: { gapMs: 5, ttftMs: 0 }, args: LOAD },
    { settings: {}, args: FOR_SECONDS },
    { settings: { concurrencyMax: 2 }, args: ['--duration', '4s', '--rate', '5'] },
  ];

  test.for(CLEANS)('names nothing with $settings and $args', async ({ settings, args }, { skip }) => {
    if (!isLongRun) skip(LONG);
    expect(await codesOf(settings, args)).toEqual([]);
  });
});
