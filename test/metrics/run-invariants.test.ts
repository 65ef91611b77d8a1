// The invariants of METRICS §2 and §3, on random runs: by event records and by the lines of samples.jsonl.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { type EventRecord, NO_FIGURE } from '../../src/core/run/event-record.ts';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { zeroCount } from '../../src/core/statistics/log-buckets.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { MetricsTable } from '../../src/metrics/metrics-table.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { sampleFigures } from '../../src/metrics/sample-figures.ts';
import { arbitrarySample } from '../support/arbitrary-sample.ts';
import { longCount } from '../support/counts.ts';
import { metricsOf } from '../support/run-metrics.ts';
import { recordsOf, runConfig, session } from '../support/run-records.ts';

const OPTIONS = {
  pattern: { kind: 'poisson', requestsPerSecond: 10 },
  isStreaming: true,
  objectives: [{ name: 'ttft', limitNs: 1_000_000_000 }],
} as const;

/** Samples of one run: ids of their own, all in one window or outside. */
const run = fc
  .array(arbitrarySample, { maxLength: 40 })
  .map(samples =>
    samples.map((sample, index) => ({ ...sample, sampleId: index, window: Math.min(sample.window, 0) })),
  );

/** Warm-up first, then the measured phase, each sample's records in order but those of all mixed. */
const mixed = (samples: readonly EndedSample[], seed: number): readonly EventRecord[] => {
  const mix = (part: readonly EndedSample[]): readonly EventRecord[] => {
    const queues = part.map(sample => [...recordsOf(sample)]);
    const records: EventRecord[] = [];
    for (let turn = seed; queues.some(queue => queue.length > 0); turn = (turn * 31 + 7) % 1_000_003) {
      const record = queues[turn % queues.length]?.shift();
      const next = record ?? queues.find(queue => queue.length > 0)?.shift();
      if (next !== undefined) records.push(next);
    }
    return records;
  };
  return [
    session('session.started'),
    ...mix(samples.filter(sample => sample.window < 0)),
    session('session.start_performance_tracking'),
    ...mix(samples.filter(sample => sample.window >= 0)),
    session('session.stop_performance_tracking'),
  ];
};

const applied = (records: readonly EventRecord[]): RunMetrics => {
  const metrics = new RunMetrics(OPTIONS);
  const table = new MetricsTable(metrics);
  for (const record of records) table.apply(record);
  return metrics;
};

const snapshotOf = (metrics: RunMetrics): MetricsSnapshot => ({
  seq: 1,
  timestampNs: 1,
  state: 'complete',
  pendingTasks: 0,
  metrics: metrics.final(),
});

describe('of every run', () => {
  test('every sample has 0 ≤ first byte ≤ ttft ≤ latency, and its gaps add up to its last content', () => {
    fc.assert(
      fc.property(arbitrarySample, sample => {
        const figures = sampleFigures(sample, true);
        if (figures === undefined) throw new Error('a sample in order was refused');
        const { firstByteNs, ttftNs, latencyNs, tpotNs } = figures;
        if (firstByteNs !== NO_FIGURE) expect(firstByteNs).toBeGreaterThanOrEqual(0);
        if (ttftNs !== NO_FIGURE) {
          expect(ttftNs).toBeGreaterThanOrEqual(firstByteNs);
          expect(latencyNs).toBeGreaterThanOrEqual(ttftNs);
          const gapsNs = sample.chunkGapsNs.reduce((sum, gap) => sum + gap, 0);
          expect(ttftNs + gapsNs).toBeLessThanOrEqual(latencyNs);
        }
        if (tpotNs !== NO_FIGURE) expect(tpotNs).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('issued = completed + failed + cancelled + unresolved, wherever the account ends', () => {
    fc.assert(
      fc.property(
        run,
        fc.nat({ max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (samples, seed, part) => {
          const records = mixed(samples, seed);
          const snapshot = snapshotOf(applied(records.slice(0, Math.ceil(records.length * part))));
          const report = buildReport({
            config: runConfig({ pattern: OPTIONS.pattern }),
            snapshot,
            source: 'complete-message',
            droppedEvents: 0,
            eventLogDropped: 0,
            isInterrupted: false,
            runProblems: [],
            sourceProblems: [],
            notices: [],
          });
          for (const counts of [report.counts, report.warmup]) {
            expect(counts.unresolved).toBeGreaterThanOrEqual(0);
            expect(counts.completed + counts.failed + counts.cancelled + counts.unresolved).toBe(
              counts.issued,
            );
          }
          const unresolved = report.counts.unresolved + report.warmup.unresolved;
          expect(report.complete).toBe(unresolved === 0);
          const errors = Object.values(report.errors).reduce((sum, count) => sum + count, 0);
          expect(errors).toBe(report.counts.failed);
          const reasons = Object.values(report.finishReasons).reduce((sum, count) => sum + count, 0);
          expect(reasons).toBe(report.counts.completed);
          expect(report.recordProblems).toEqual({});
          for (const series of Object.values(report.series)) {
            const inBuckets = series.histogram.reduce((sum, [, , n]) => sum + n, 0);
            expect(inBuckets + zeroCount(series)).toBe(series.count);
          }
          expect(JSON.parse(JSON.stringify(report))).toEqual(report);
        },
      ),
    );
  });

  test('the order in which the records of different samples come changes no figure', () => {
    fc.assert(
      fc.property(run, fc.nat({ max: 1_000_000 }), fc.nat({ max: 1_000_000 }), (samples, one, other) => {
        expect(metricsOf(applied(mixed(samples, one)))).toEqual(metricsOf(applied(mixed(samples, other))));
      }),
      { numRuns: longCount(30, 100) },
    );
  });

  test('counting ended samples gives what counting their records gives', () => {
    fc.assert(
      fc.property(run, fc.nat({ max: 1_000_000 }), (samples, seed) => {
        const direct = new RunMetrics(OPTIONS);
        for (const sample of samples) {
          direct.issued(sample);
          direct.ended(sample);
        }
        const byRecords = metricsOf(applied(mixed(samples, seed)));
        const bySamples = metricsOf(direct);
        expect(bySamples.series).toEqual(byRecords.series);
        // Chunks are counted as they come, and only there.
        expect({ ...bySamples.counters, chunksReceived: 0 }).toEqual({
          ...byRecords.counters,
          chunksReceived: 0,
        });
      }),
      { numRuns: longCount(30, 100) },
    );
  });

  test('any records in any order end in an account that adds up', () => {
    const wild = fc.tuple(run, fc.infiniteStream(fc.nat({ max: 1_000_000 }))).map(([samples, at]) => {
      const records = [...mixed(samples, 1), session('session.ended', 5)];
      const kept: EventRecord[] = [];
      for (let left = records.length; left > 0; left -= 1) {
        const record = records[(at.next().value ?? 0) % records.length];
        if (record !== undefined) kept.push(record);
      }
      return kept;
    });
    fc.assert(
      fc.property(wild, records => {
        const { counters, series } = metricsOf(applied(records));
        for (const prefix of ['samples', 'trackedSamples']) {
          const ended = ['Completed', 'Failed', 'Cancelled'].map(name => counters[`${prefix}${name}`] ?? 0);
          expect(ended.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
            counters[`${prefix}Issued`] ?? 0,
          );
        }
        expect(series['latencyNs']?.count).toBeLessThanOrEqual(counters['trackedSamplesCompleted'] ?? 0);
      }),
    );
  });
});
