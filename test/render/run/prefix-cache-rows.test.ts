import { expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { prefixCacheSection } from '../../../src/render/run/prefix-cache-rows.ts';
import { serverOf } from '../../support/spoiled-run.ts';

const NOT_QUERIED = unknown('not asked');
const UNREPORTED = unknown('cached tokens are not reported by the server');
const TTFT = { p50: 40e6, p90: 44e6, max: 50e6 };
const BY_UNCACHED = [
  { from: 0, to: 1, count: 1, ttftNs: TTFT },
  { from: 1, to: 2, count: 1, ttftNs: TTFT },
  { from: 256, to: 512, count: 90, ttftNs: TTFT },
];

test('the share that was reached is next to the requested one, above times by uncached tokens', () => {
  const prefixCache = { hitShare: 0.583, requestedShare: 0.6, byUncached: BY_UNCACHED };
  const section = prefixCacheSection({ prefixCache, server: NOT_QUERIED });
  expect(section?.lead).toEqual([
    "58.3\u202f% of the server's prompt tokens came from its cache; 60.0\u202f% was requested",
  ]);
  expect(section?.tables?.[0]?.rows).toEqual([
    ['0', '1', '40.0\u00a0ms', '–'],
    ['1', '1', '40.0\u00a0ms', '–'],
    ['256 to 511', '90', '40.0\u00a0ms', '44.0\u00a0ms'],
  ]);
});

test('replies without cached tokens leave what the server itself counts', () => {
  const prefixCache = { hitShare: UNREPORTED, requestedShare: 0.6, byUncached: UNREPORTED };
  const server = serverOf([
    { moment: 'start', prefixQueried: 0, prefixHit: 0 },
    { moment: 'end', prefixQueried: 1_000, prefixHit: 590 },
  ]);
  const section = prefixCacheSection({ prefixCache, server });
  expect(section?.lead?.[0]).toBe(
    'Share of prompt tokens from the cache unknown: cached tokens are not reported by the server; 60.0\u202f% was requested',
  );
  expect(section?.lead?.[1]).toMatch(/^By the server: 59.%/);
  expect(section?.tables).toEqual([]);
});

test('a run without hits and without a requested share has no such section', () => {
  expect(prefixCacheSection({ server: NOT_QUERIED })).toBeUndefined();
});
