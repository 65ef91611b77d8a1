// From how much on each finding is named: one sample less and it is not.

import { describe, expect, test } from 'vitest';
import type { ContaminationSources } from '../../../src/core/run/contamination-check.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { ServerReading } from '../../../src/core/run/server-reading.ts';
import {
  CLEAN,
  cached,
  found,
  many,
  ON_TIME,
  QUIET_MACHINE,
  REMARK,
  serverOf,
  streamed,
} from '../../support/spoiled-run.ts';

describe('a run', () => {
  type Threshold = readonly [
    what: string,
    code: string,
    below: readonly [readonly EndedSample[], Partial<ContaminationSources>?],
    past: readonly [readonly EndedSample[], Partial<ContaminationSources>?],
  ];
  const mixed = (bad: number, more: Partial<EndedSample>): readonly [readonly EndedSample[]] => [
    [...CLEAN.slice(bad), ...many(bad, () => streamed(400, more))],
  ];
  const swapped = (
    swappedPages: number,
  ): readonly [readonly EndedSample[], Partial<ContaminationSources>] => [
    CLEAN,
    { machine: { ...QUIET_MACHINE, swappedPages } },
  ];
  const observed = (
    bad: Partial<ServerReading>,
    count: number,
  ): readonly [readonly EndedSample[], Partial<ContaminationSources>] => [
    CLEAN,
    {
      server: serverOf([
        ...Array(20 - count).fill({ running: 8, waiting: 0, inFlight: 8 }),
        ...Array(count).fill(bad),
      ]),
    },
  ];
  const busy = (running: number): Partial<ServerReading> => ({ running, waiting: 0, inFlight: 8 });
  const THRESHOLDS: readonly Threshold[] = [
    [
      'one in twenty streams in one chunk',
      'one-chunk',
      mixed(10, { chunkCount: 1, chunkGapsNs: [] }),
      mixed(11, { chunkCount: 1, chunkGapsNs: [] }),
    ],
    [
      'one in twenty streams of joined chunks',
      'merged-chunks',
      mixed(10, { chunkCount: 5, chunkGapsNs: Array(4).fill(40e6) }),
      mixed(11, { chunkCount: 5, chunkGapsNs: Array(4).fill(40e6) }),
    ],
    [
      'one and a half tokens a chunk',
      'merged-chunks',
      mixed(100, { outputTokens: 15, chunkCount: 10, chunkGapsNs: Array(9).fill(40e6) }),
      mixed(100, { outputTokens: 16, chunkCount: 10, chunkGapsNs: Array(9).fill(40e6) }),
    ],
    [
      'a fifth of the streams at once',
      'burst-chunks',
      mixed(40, { chunkGapsNs: Array(19).fill(2_000) }),
      mixed(41, { chunkGapsNs: Array(19).fill(2_000) }),
    ],
    [
      'gaps of a tenth of a millisecond',
      'burst-chunks',
      mixed(100, { chunkGapsNs: Array(19).fill(100_000) }),
      mixed(100, { chunkGapsNs: Array(19).fill(99_999) }),
    ],
    [
      'a hundredth of the prompt tokens from a cache',
      'prefix-cache',
      [many(100, at => streamed(1_000, { remark: { ...REMARK, cachedTokens: at === 0 ? 1_000 : 0 } }))],
      [many(100, at => streamed(1_000, { remark: { ...REMARK, cachedTokens: [1_000, 1][at] ?? 0 } }))],
    ],
    [
      'eight answers that had come before',
      'answer-cache',
      [[...many(20, at => streamed(9, { answerHash: at })), ...many(7, cached)]],
      [[...many(20, at => streamed(9, { answerHash: at })), ...many(8, cached)]],
    ],
    [
      'a fifth of the time of new answers',
      'answer-cache',
      [[...many(20, at => streamed(9, { answerHash: at })), ...many(20, () => cached(0, 2_000_001))]],
      [[...many(20, at => streamed(9, { answerHash: at })), ...many(20, () => cached(0, 2_000_000))]],
    ],
    ['256 pages that were swapped', 'client-swap', swapped(255), swapped(256)],
    ['a fifth of the readings of the server', 'other-clients', observed(busy(20), 3), observed(busy(20), 4)],
    ['two requests of others', 'other-clients', observed(busy(10), 20), observed(busy(11), 20)],
  ];

  test.each(THRESHOLDS.map(([what, code, below, past]) => ({ what, code, below, past })))(
    'is named $code from $what on, and not before',
    ({ code, below, past }) => {
      const codesOf = ([samples, more]: typeof below): readonly string[] =>
        found(samples, more).map(({ code: each }) => each);
      expect(codesOf(below)).not.toContain(code);
      expect(codesOf(past)).toContain(code);
    },
  );

  test('whose streams this client may have read late has no finding about bursts', () => {
    const late = (lateNs: number): readonly EndedSample[] =>
      many(20, () =>
        streamed(9, {
          chunkGapsNs: Array(19).fill(2_000),
          lateness: { ...ON_TIME, lastContentLateNs: lateNs },
        }),
      );
    expect(found(late(18.9e6)).map(({ code }) => code)).toContain('burst-chunks');
    expect(found(late(19e6)).map(({ code }) => code)).not.toContain('burst-chunks');
  });
});
