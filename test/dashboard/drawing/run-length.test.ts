// How far the dashes of what is being measured have run.

import { describe, expect, test } from 'vitest';
import { runLength } from '../../../dashboard/src/drawing/run-length.ts';

describe('running dashes', () => {
  test('step five times in 1.2 s, 16 px in all', () => {
    const tenths = [0, 239, 240, 480, 720, 960, 1_200].map(atMs => Math.round(runLength(atMs) * 10));
    expect(tenths).toEqual([0, 0, 32, 64, 96, 128, 160]);
  });

  test.each([7, 8, 16])('begin again where a pattern of %i px looks the same', pattern => {
    const before = runLength(35 * 240 - 1) + 3.2;
    expect((before / pattern) % 1).toBeCloseTo(0, 9);
    expect(runLength(35 * 240)).toBe(0);
  });
});
