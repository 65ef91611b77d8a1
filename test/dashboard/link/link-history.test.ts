import { describe, expect, test } from 'vitest';
import { historyPicture, historyPoints } from '../../../dashboard/src/link/link-history.ts';

const raw = (atWallMs: number, up: unknown, down: unknown, failure: unknown = 'none') => ({
  atWallMs,
  isHourly: false,
  record: { payload: { uploadBitsPerSecond: up, downloadBitsPerSecond: down, failure } },
});

describe('the past of a link', () => {
  test('is read from raw rows and from the medians of hours, and leaves out what failed or is not a figure', () => {
    const unknown = { kind: 'unknown', reason: 'refused' };
    const hourly = {
      atWallMs: 1_000,
      isHourly: true,
      record: {
        version: 1,
        figures: {
          uploadBitsPerSecond: { min: 1, median: 5, max: 9, count: 3 },
          roundTripNsP50: { min: 100, median: 200, max: 900, count: 3 },
        },
      },
    };
    expect(
      historyPoints({
        rows: [hourly, raw(2_000, 7, 8), raw(3_000, 7, 8, unknown), raw(4_000, unknown, unknown), 'x'],
      }),
    ).toEqual([
      { atMs: 1_000, upload: 5, download: undefined, roundTripNs: 200 },
      { atMs: 2_000, upload: 7, download: 8 },
    ]);
    for (const body of [undefined, null, 'no', {}, { rows: {} }]) expect(historyPoints(body)).toEqual([]);
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
