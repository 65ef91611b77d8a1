// Tokens asked for against tokens counted, by tokenizers and templates that the run does not know.

import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

const FAST = { ttftMs: 0, gapMs: 0, tokensPerChunk: 16 };

const reportOf = async (url: string, ...args: readonly string[]): Promise<Report> => {
  using folder = temporaryDirectory();
  const run = await benchHere(folder.path, [url, '--requests', '60', '--output-tokens', '4', ...args]);
  expect(run.exit).toBe('ok');
  const report = run.report();
  expectInvariants(report);
  return report;
};

const requestsOf = ({ run }: Report) => {
  if (isUnknown(run.requests)) throw new Error(run.requests.reason);
  return run.requests;
};

const LENGTHS = [
  ['100', []],
  ['512', ['--no-nonce']],
  ['2000', ['--api', 'completions']],
  ['300..900', []],
  ['lognormal(600,300)', []],
] satisfies [string, string[]][];
/** The others are about the length and not about who counts. */
const ONE_LENGTH = LENGTHS.slice(3, 4);

describe.each(['words', 'pieces', 'bytes'] as const)('prompts counted by %s', tokenizer => {
  test.each(isLongRun ? LENGTHS : tokenizer === 'words' ? LENGTHS.slice(0, 2) : ONE_LENGTH)(
    'have %s tokens as they were asked to, %o',
    async (length, more) => {
      await using mock = await startMock({ ...FAST, tokenizer, templateTokens: 5 });
      const report = await reportOf(mock.url, '--input-tokens', length, ...more);
      const { inputTokens, calibration } = requestsOf(report);
      if (isUnknown(inputTokens) || isUnknown(calibration)) throw new Error('nothing was asked for');
      expect(calibration.requests).toBeLessThan(30);
      const counted = report.series.inputTokens;
      expect(Math.abs((counted?.mean ?? 0) / inputTokens.mean - 1)).toBeLessThanOrEqual(0.01 + 1e-9);
      // Each of them, not only their mean; a mark of hexadecimal digits costs a token more or less.
      expect(counted?.min).toBeGreaterThanOrEqual(inputTokens.min * 0.99 - 2);
      expect(counted?.max).toBeLessThanOrEqual(inputTokens.max * 1.01 + 2);
    },
  );

  test.each(isLongRun ? ['chat', 'completions'] : tokenizer === 'pieces' ? ['chat'] : [])(
    'behind shared prefixes have both lengths together, in %s',
    async api => {
      await using mock = await startMock({ ...FAST, tokenizer, templateTokens: 5 });
      const report = await reportOf(
        mock.url,
        ...['--api', api, '--input-tokens', '200', '--prefix-tokens', '800', '--prefixes', '3'],
      );
      const { inputTokens } = requestsOf(report);
      expect(inputTokens).toMatchObject({ mean: 1_000, min: 1_000, max: 1_000 });
      expect(report.series.inputTokens?.min).toBeGreaterThanOrEqual(990);
      expect(report.series.inputTokens?.max).toBeLessThanOrEqual(1_010);
    },
  );
});

describe('words that cannot be counted', () => {
  test('stand for tokens, and the report reports why', async () => {
    await using mock = await startMock({ ...FAST, usage: 'never' });
    const report = await reportOf(mock.url, '--input-tokens', '100');
    expect(requestsOf(report).calibration).toMatchObject({ reason: 'the server reports no usage' });
    expect(report.notices.join(' ')).toContain('a word for each token');
  });

  test('are not asked about without a warm-up', async () => {
    await using mock = await startMock({ ...FAST });
    const report = await reportOf(mock.url, '--input-tokens', '100', '--no-warmup', '--model', 'mock-model');
    expect(mock.log().requests).toBe(60);
    expect(requestsOf(report).calibration).toMatchObject({ kind: 'unknown' });
  });

  test('are not asked about where no length in tokens is wanted', async () => {
    await using mock = await startMock({ ...FAST });
    await reportOf(mock.url, '--warmup', '1');
    expect(mock.log().requests).toBe(61);
  });
});
