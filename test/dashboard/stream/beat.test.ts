// What is drawn at once and what waits for the page's beat.

import { describe, expect, test } from 'vitest';
import { BEAT_AFTER_NEWS_MS, BEAT_MS, isNews, newsMsMin } from '../../../dashboard/src/stream/beat.ts';

describe('the beat of a page', () => {
  test.each(['memory.gathered', 'system.gathered', 'gpuLoads.gathered', 'reading.confirmed'] as const)(
    'lets %s, which every node reports all the time, wait for the next count',
    kind => {
      expect(isNews({ kind })).toBe(false);
    },
  );

  test.each([
    'connection.closed',
    'link.profiled',
    'probe.reported',
    'reading.failed',
    'run.ended',
    'unknown',
  ] as const)('draws %s sooner', kind => {
    expect(isNews({ kind })).toBe(true);
  });

  test('counts news of a few nodes four times a second at most, and of many nodes with the beat', () => {
    expect([1, 32, 33, 200].map(newsMsMin)).toEqual([250, 250, BEAT_MS, BEAT_MS]);
    expect(BEAT_AFTER_NEWS_MS).toBeGreaterThan(BEAT_MS);
  });
});
