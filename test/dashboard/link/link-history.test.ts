import { describe, expect, test } from 'vitest';
import { historyPicture, linkPoints } from '../../../dashboard/src/link/link-history.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { hourRow, linkRow } from '../../support/profile-rows.ts';

describe('the past of a link', () => {
  test('is read from raw rows and from the medians of hours, and leaves out what failed or is not a figure', () => {
    const none = unknown('refused');
    expect(
      linkPoints([
        hourRow(1_000, { uploadBitsPerSecond: 5, roundTripNsP50: 200 }),
        linkRow(2_000, { uploadBitsPerSecond: 7, downloadBitsPerSecond: 8 }),
        linkRow(3_000, { uploadBitsPerSecond: 7, downloadBitsPerSecond: 8, failure: none }),
        linkRow(4_000, {}),
        { atWallMs: 5_000, isHourly: false, record: unknown('it cannot be read') },
        { atWallMs: 6_000, isHourly: true, record: unknown('it cannot be read') },
      ]),
    ).toEqual([
      { atMs: 1_000, upload: 5, download: undefined, roundTripNs: 200 },
      { atMs: 2_000, upload: 7, download: 8 },
    ]);
  });

  test('is a line from its first to its newest point, from two points on', () => {
    const point = (atMs: number, upload: number) => ({
      atMs,
      upload,
      download: undefined,
      roundTripNs: undefined,
    });
    expect(historyPicture([point(0, 5)], { width: 100, height: 50 })).toBeUndefined();
    const picture = historyPicture([point(0, 10), point(50, 5), point(100, 10)], { width: 100, height: 55 });
    expect(picture?.lines.upload).toMatchObject({ low: 5, high: 10, d: 'M0.0 5.0L50.0 30.0L100.0 5.0' });
    expect(picture?.lines.download).toBeUndefined();
  });
});
