// What a report contains about a run with a shape: how its load varied, its description, requests that were never
// sent.

import { describe, expect, test } from 'vitest';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import type { SnapshotState } from '../../src/core/run/snapshot.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { renderReport } from '../../src/render/run/text-report.ts';
import { reportFromJson, reportToJson } from '../../src/wire/stored-json.ts';
import { metricsOf } from '../support/run-metrics.ts';
import { runConfig } from '../support/run-records.ts';

const MS = 1e6;
const SHAPE = { ...PLAIN_SHAPE, rampMs: 30_000, warmupMs: 10_000, inFlightCap: 2 };
const PATTERN = { kind: 'poisson', requestsPerSecond: 20 } as const;
const CONFIG = runConfig({
  pattern: PATTERN,
  shape: SHAPE,
  name: 'before the update',
  tags: { engine: 'vllm' },
});

/** One sample that was due at 5 ms, got a slot at 25 ms and was sent 1 ms later; seven arrivals wait. */
const cappedMetrics = (): RunMetrics => {
  const metrics = new RunMetrics({ pattern: PATTERN, shape: SHAPE, isStreaming: true, objectives: [] });
  metrics.issued({ window: 0, intendedNs: 5 * MS, sentNs: 26 * MS, heldBackNs: 20 * MS });
  metrics.client.observed(
    {
      kind: 'client.observed',
      atNs: 30 * MS,
      thread: 0,
      eventLoopUtilization: 0.1,
      cpuShare: 0.1,
      eventLoopDelayNsMax: 0,
      readLatenessNsMax: 0,
      gcPauseNsTotal: 0,
      gcPauseNsMax: 0,
      connectionsOpened: 2,
      connectionsReused: 0,
      connectionsClosed: 0,
      connectionsStale: 0,
      arrivalsWaiting: 7,
      backoffNs: 0,
      connectionsAhead: 0,
    },
    true,
  );
  return metrics;
};

const reportAt = (state: SnapshotState) =>
  buildReport({
    config: CONFIG,
    snapshot: { seq: 1, timestampNs: 0, state, pendingTasks: 0, metrics: cappedMetrics().final() },
    source: state === 'live' ? 'live-snapshot' : 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });

describe('a run under a cap', () => {
  test('blames neither the wait for a slot on the client nor its own lateness on the cap', () => {
    const { series } = metricsOf(cappedMetrics());
    expect(series['sendLatenessNs']).toMatchObject({ total: String(MS), count: 1 });
    expect(series['heldBackNs']).toMatchObject({ total: String(20 * MS), count: 1 });
  });

  test('reports of an ended load how many arrivals were never sent, and of one that goes on nothing', () => {
    expect(reportAt('complete').notices).toEqual([
      '7 arrivals were due and held back by --max-in-flight when the load ended; they were never sent',
    ]);
    expect(reportAt('live').notices).toEqual([]);
  });

  test('reports in its report how the load moved and what it is called, and so when it is read again', () => {
    const report = reportFromJson(reportToJson(reportAt('complete')));
    expect(report.run).toEqual(CONFIG.run);
    const text = renderReport(report, { isUnicode: true, isFull: true })
      .join('\n')
      .replace(/[\u00a0\u202f]/g, ' ');
    expect(text).toContain('Poisson 20.0 req/s, at most 2 in flight, ramp 30.0 s, warm-up 10.0 s');
    expect(text).toContain('before the update · engine=vllm');
  });
});

test('a run of a version before shapes is a plain one without a name', () => {
  const { shape: _shape, name: _name, tags: _tags, ...run } = CONFIG.run;
  const old = reportFromJson(JSON.stringify({ ...reportAt('complete'), run }));
  const text = renderReport(old, { isUnicode: true, isFull: true })
    .join('\n')
    .replace(/[\u00a0\u202f]/g, ' ');
  expect(text).toContain('Poisson 20.0 req/s, streamed');
  expect(text).not.toContain('name ');
});
