// Snapshots of several machines, added: the percentiles are those of all values in one histogram.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SeriesMetric } from '../../src/core/run/snapshot.ts';
import { mergeSnapshots } from '../../src/metrics/merge-snapshots.ts';
import { SeriesSampler } from '../../src/metrics/series-sampler.ts';
import { decodeSnapshotPacked, encodeSnapshotPacked, snapshotToJson } from '../../src/wire/snapshot-codec.ts';

const OPTIONS = { state: 'live', measuringSinceNs: 77 } as const;

const seriesOf = (values: readonly number[], unit: SeriesMetric['unit'], hasCells = true): SeriesMetric => {
  const sampler = new SeriesSampler('latencyNs', { unit, hasCells });
  for (const value of values) sampler.record(value);
  return sampler.live();
};

const mergedOf = (series: readonly SeriesMetric[]) =>
  mergeSnapshots(
    series.map(one => ({ pendingTasks: 1, metrics: [one] })),
    OPTIONS,
  );

describe('snapshots of several machines', () => {
  test('add to exactly what one machine would have reported for all values', () => {
    const values = fc.array(fc.oneof(fc.nat(), fc.constant(0), fc.integer({ min: 1, max: 5_000_000 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        fc.array(values, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('ns', 'tokens', 'ratio', 'bytes'),
        (machines, unit) => {
          // Through the codec, as they travel.
          const reported = machines.map(own => {
            const snapshot = { seq: 1, timestampNs: 1, state: 'live', pendingTasks: 0 } as const;
            const packed = encodeSnapshotPacked({ ...snapshot, metrics: [seriesOf(own, unit)] });
            return decodeSnapshotPacked(packed);
          });
          const { metrics, unadded } = mergeSnapshots(reported, OPTIONS);
          expect(unadded).toEqual([]);
          expect(metrics).toEqual([seriesOf(machines.flat(), unit, false)]);
        },
      ),
    );
  });

  test('add their counts, take the worst of what is one client’s time, and keep the coordinator’s zero', () => {
    const counters = (values: Readonly<Record<string, number>>) => ({
      pendingTasks: 2,
      metrics: Object.entries(values).map(([name, value]) => ({ kind: 'counter' as const, name, value })),
    });
    const { metrics, pendingTasks, state } = mergeSnapshots(
      [
        counters({ samplesIssued: 5, 'client.starvedNs': 9, measuringSinceNs: 1, 'errors.reset': 1 }),
        counters({ samplesIssued: 7, 'client.starvedNs': 4, measuringSinceNs: 3_600e9, 'errors.reset': 0 }),
      ],
      OPTIONS,
    );
    expect(
      Object.fromEntries(metrics.map(metric => ['name' in metric ? metric.name : '', metric])),
    ).toMatchObject({
      samplesIssued: { value: 12 },
      'client.starvedNs': { value: 9 },
      measuringSinceNs: { value: 77 },
      'errors.reset': { value: 1 },
    });
    expect({ pendingTasks, state }).toEqual({ pendingTasks: 4, state: 'live' });
  });

  test('leave out a series that one of them sends without its histogram, and report which', () => {
    const { metrics, unadded } = mergedOf([seriesOf([1, 2], 'ns'), seriesOf([3], 'ns', false)]);
    expect({ metrics, unadded }).toEqual({ metrics: [], unadded: ['latencyNs'] });
  });

  test('keep their histograms off the disk', () => {
    const snapshot = { seq: 1, timestampNs: 1, state: 'live', pendingTasks: 0 } as const;
    expect(snapshotToJson({ ...snapshot, metrics: [seriesOf([5], 'ns')] })).not.toContain('cells');
  });
});
