// That of sessions, by turn and by uncached tokens, is in session-report.test.ts.

import { expect, test } from 'vitest';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { PrefixCacheTally } from '../../../src/core/run/prefix-cache.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { REMARK } from '../../support/spoiled-run.ts';

const sample = (inputTokens: number, cachedTokens: number, ttftNs: number) =>
  sampleOf({
    inputTokens,
    sentNs: 5,
    firstContentNs: ttftNs === NO_FIGURE ? NO_FIGURE : 5 + ttftNs,
    ...(cachedTokens === NO_FIGURE ? {} : { remark: { ...REMARK, cachedTokens } }),
  });

test('the share of the cache is next to the requested one, and times to first token are by what was not in it', () => {
  const tally = new PrefixCacheTally();
  // The first request of a prefix reports no hit.
  tally.ended(sample(1_000, NO_FIGURE, 100e6));
  tally.ended(sample(1_000, 600, 40e6));
  tally.ended(sample(1_000, 600, 44e6));
  tally.ended(sample(1_000, 600, NO_FIGURE));
  expect(tally.report(0.6)).toEqual({
    hitShare: 0.45,
    requestedShare: 0.6,
    byUncached: [
      { from: 256, to: 512, count: 2, ttftNs: { p50: 40e6, p90: 40e6, max: 44e6 } },
      { from: 512, to: 1_024, count: 1, ttftNs: { p50: 100e6, p90: 100e6, max: 100e6 } },
    ],
  });
});

test('a server that reports no cached token leaves it unknown', () => {
  const tally = new PrefixCacheTally();
  tally.ended(sample(1_000, NO_FIGURE, 100e6));
  const { hitShare, byUncached } = tally.report(0.6);
  expect([hitShare, byUncached].every(isUnknown)).toBe(true);
  expect(tally.report(undefined)).not.toHaveProperty('requestedShare');
});
