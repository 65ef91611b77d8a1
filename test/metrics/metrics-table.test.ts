import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../src/core/run/event-record.ts';
import { MetricsTable } from '../../src/metrics/metrics-table.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { metricsOf, seriesOf } from '../support/run-metrics.ts';
import { complete, failed, issued, receivedFirst, receivedMore, session } from '../support/run-records.ts';

const START = session('session.start_performance_tracking');
const STOP = session('session.stop_performance_tracking');

const counted = (records: readonly EventRecord[]): Readonly<Record<string, number>> =>
  metricsOf(apply(records)).counters;

const apply = (records: readonly EventRecord[], rowsMax?: number): RunMetrics => {
  const metrics = new RunMetrics({
    pattern: { kind: 'concurrency', concurrency: 2 },
    isStreaming: true,
    objectives: [],
  });
  const table = new MetricsTable(metrics, rowsMax === undefined ? {} : { rowsMax });
  for (const record of records) table.apply(record);
  return metrics;
};

describe('tracking', () => {
  test('leaves out what is issued before it starts and after it stops, and follows what was in flight', () => {
    const metrics = apply([
      issued(1, 10),
      START,
      issued(2, 20),
      complete(1, 30),
      STOP,
      issued(3, 40),
      complete(2, 100),
      complete(3, 110),
    ]);
    const { counters, series } = metricsOf(metrics);
    expect(counters).toMatchObject({ samplesIssued: 3, samplesCompleted: 3 });
    expect(counters).toMatchObject({ trackedSamplesIssued: 1, trackedSamplesCompleted: 1 });
    expect(series['latencyNs']).toMatchObject({ count: 1, total: '80' });
  });

  test('adds up several windows, without the pause between them', () => {
    const metrics = apply([
      START,
      issued(1, 100),
      complete(1, 150),
      STOP,
      START,
      issued(2, 1_000),
      complete(2, 1_200),
      STOP,
    ]);
    expect(metricsOf(metrics).counters['windowNs']).toBe(250);
  });

  test('of an empty window has no length', () => {
    expect(counted([START, STOP])['windowNs']).toBe(0);
    expect(
      counted([START, issued(1, 5), failed(1, 9), complete(1, 9, { outcome: 'failed' })])['windowNs'],
    ).toBe(0);
  });

  test('that is started twice goes on as one window', () => {
    const counters = counted([START, START, issued(1, 5), complete(1, 9)]);
    expect(counters).toMatchObject({ recordsDuplicate: 1, windowNs: 4 });
  });
});

describe('a streamed sample', () => {
  const stream = [
    START,
    issued(1, 1_000, 900),
    receivedFirst(1, 1_500, 1_400),
    receivedMore(1, 1_600, 1_900),
    receivedMore(1, 2_000),
    complete(1, 2_050, { chunkCount: 4, outputTokens: 6, inputTokens: 3, firstAnswerNs: 1_900 }),
  ];

  test('has each figure by its definition', () => {
    const series = seriesOf(apply(stream));
    expect(series['latencyNs']).toMatchObject({ total: '1050' });
    expect(series['ttftNs']).toMatchObject({ total: '500' });
    expect(series['firstByteNs']).toMatchObject({ total: '400' });
    expect(series['firstAnswerNs']).toMatchObject({ total: '900' });
    expect(series['tpotNs']).toMatchObject({ total: '100' });
    expect(series['chunkGapNs']).toMatchObject({ count: 3, total: '500', min: 100, max: 300 });
    expect(series['tokensPerChunk']).toMatchObject({ total: '1.5' });
    expect(series['inputTokens']).toMatchObject({ total: '3' });
    expect(series['outputTokens']).toMatchObject({ total: '6' });
    expect(series['sendLatenessNs']).toMatchObject({ total: '100' });
  });

  test('without usage has no token figure, and is counted as one', () => {
    const { counters, series } = metricsOf(
      apply([START, issued(1, 0), receivedFirst(1, 5), complete(1, 9, { chunkCount: 1 })]),
    );
    expect(counters).toMatchObject({ usageMissing: 1, samplesInconsistent: 0 });
    for (const name of ['tpotNs', 'tokensPerChunk', 'inputTokens', 'outputTokens'])
      expect(series[name]).toMatchObject({ count: 0 });
  });

  test('of a single token has no time per further token', () => {
    const records = [issued(1, 0), receivedFirst(1, 5), complete(1, 9, { chunkCount: 1, outputTokens: 1 })];
    expect(seriesOf(apply([START, ...records]))['tpotNs']).toMatchObject({ count: 0 });
  });

  test('has no gap without a previous chunk, and is reported as contradictory', () => {
    const { counters, series } = metricsOf(
      apply([START, issued(1, 0), receivedMore(1, 5, 6), complete(1, 9, { chunkCount: 2 })]),
    );
    expect(counters).toMatchObject({ trackedSamplesCompleted: 1, samplesInconsistent: 1 });
    expect(series['chunkGapNs']).toMatchObject({ count: 0 });
  });

  test.each([
    ['first byte before it was sent', [receivedFirst(1, 60, 10)]],
    ['content before its first byte', [receivedFirst(1, 60, 70)]],
    ['chunks that go back in time', [receivedFirst(1, 60), receivedMore(1, 55)]],
    ['an end before its last chunk', [receivedFirst(1, 60), receivedMore(1, 120)]],
  ])('with %s is in no series', (_, between) => {
    const { counters, series } = metricsOf(
      apply([START, issued(1, 50), ...between, complete(1, 100, { chunkCount: between.length })]),
    );
    expect(counters).toMatchObject({ trackedSamplesCompleted: 1, samplesInconsistent: 1 });
    for (const name of ['latencyNs', 'ttftNs', 'firstByteNs', 'chunkGapNs'])
      expect(series[name]).toMatchObject({ count: 0 });
  });
});

describe('a failed sample', () => {
  const error = [START, issued(1, 0), receivedFirst(1, 5), failed(1, 9, 'http-status')];

  test('is counted by its kind and is in no latency', () => {
    const { counters, series } = metricsOf(
      apply([...error, complete(1, 9, { outcome: 'failed', chunkCount: 1 })]),
    );
    expect(counters).toMatchObject({
      trackedSamplesFailed: 1,
      'errors.http-status': 1,
      samplesInconsistent: 0,
    });
    for (const name of ['latencyNs', 'ttftNs', 'chunkGapNs'])
      expect(series[name]).toMatchObject({ count: 0 });
  });

  test('stays failed when its end record is a completed one, and that is reported', () => {
    const counters = counted([...error, complete(1, 9, { chunkCount: 1 })]);
    expect(counters).toMatchObject({
      trackedSamplesFailed: 1,
      trackedSamplesCompleted: 0,
      samplesInconsistent: 1,
    });
  });

  test('without an error record counts as a failure of the client', () => {
    const counters = counted([START, issued(1, 0), complete(1, 9, { outcome: 'failed' })]);
    expect(counters).toMatchObject({ trackedSamplesFailed: 1, 'errors.client': 1, samplesInconsistent: 1 });
  });

  test('whose error comes after its end has a late record', () => {
    const counters = counted([START, issued(1, 0), complete(1, 9), failed(1, 10)]);
    expect(counters).toMatchObject({ trackedSamplesFailed: 0, recordsLate: 1, 'errors.reset': 0 });
  });

  test('outside the measured phase is in the totals only', () => {
    const counters = counted([issued(1, 0), failed(1, 5), complete(1, 9, { outcome: 'failed' })]);
    expect(counters).toMatchObject({ samplesFailed: 1, trackedSamplesFailed: 0, 'errors.reset': 0 });
  });

  test('is not what an error without a sample is', () => {
    expect(counted([START, failed(-1, 5)])).toMatchObject({
      errorsOutsideSamples: 1,
      trackedSamplesFailed: 0,
    });
  });
});

describe('records that do not fit', () => {
  test('count the first of two for one sample, also when it has ended meanwhile', () => {
    const counters = counted([
      START,
      issued(1, 10),
      issued(1, 20),
      complete(1, 30),
      issued(1, 40),
      complete(1, 50),
    ]);
    expect(counters).toMatchObject({
      samplesIssued: 1,
      samplesCompleted: 1,
      recordsDuplicate: 2,
      recordsLate: 1,
    });
  });

  test('keep the first content when a second one comes', () => {
    const metrics = apply([
      START,
      issued(1, 0),
      receivedFirst(1, 5),
      receivedFirst(1, 7),
      complete(1, 9, { chunkCount: 1 }),
    ]);
    expect(metricsOf(metrics).counters).toMatchObject({ recordsDuplicate: 1 });
    expect(seriesOf(metrics)['ttftNs']).toMatchObject({ total: '5' });
  });

  test('of samples that were never issued are counted', () => {
    expect(counted([START, receivedFirst(7, 5), complete(7, 9)])).toMatchObject({
      recordsUnknown: 2,
      samplesCompleted: 0,
    });
  });

  test('change nothing after the end of the session', () => {
    const counters = counted([
      START,
      issued(1, 0),
      session('session.ended', 5),
      complete(1, 9),
      issued(2, 9),
    ]);
    expect(counters).toMatchObject({ recordsAfterEnd: 2, samplesIssued: 1, samplesCompleted: 0 });
  });

  test('are refused when their stamps are no whole numbers', () => {
    expect(counted([START, issued(1, Number.NaN), issued(2, -4), issued(0.5, 3)])).toMatchObject({
      recordsRefused: 3,
      samplesIssued: 0,
    });
  });

  test('past the bound of rows leave their samples unresolved and counted', () => {
    const { counters } = metricsOf(
      apply([START, issued(1, 0), issued(2, 0), complete(2, 5), complete(1, 6)], 1),
    );
    expect(counters).toMatchObject({
      samplesIssued: 2,
      samplesCompleted: 1,
      samplesNotFollowed: 1,
      recordsLate: 1,
    });
  });

  test('of a request that left early count no lateness', () => {
    const metrics = apply([START, issued(1, 90, 100), complete(1, 120)]);
    expect(metricsOf(metrics).counters).toMatchObject({ samplesSentEarly: 1 });
    expect(seriesOf(metrics)['sendLatenessNs']).toMatchObject({ total: '0', count: 1 });
  });
});

describe('background tasks', () => {
  test('are counted until they end, and pending for ever when they were cancelled', async () => {
    const table = new MetricsTable(
      new RunMetrics({ pattern: { kind: 'max-throughput' }, isStreaming: true, objectives: [] }),
    );
    const gate = Promise.withResolvers<void>();
    table.startTask(() => gate.promise);
    table.startTask(signal => new Promise((_, reject) => signal.addEventListener('abort', reject)));
    expect(table.inFlightTasks).toBe(2);
    gate.resolve();
    await gate.promise;
    table.cancelAllTasks();
    await new Promise(resolve => setImmediate(resolve));
    expect(table.inFlightTasks).toBe(1);
    table.startTask(() => Promise.resolve());
    expect(table.inFlightTasks).toBe(2);
  });

  test('that fail are counted and end', async () => {
    const metrics = new RunMetrics({
      pattern: { kind: 'max-throughput' },
      isStreaming: true,
      objectives: [],
    });
    const table = new MetricsTable(metrics);
    table.startTask(() => Promise.reject(new Error('made up')));
    await table.whenTasksEnd();
    expect(metricsOf(metrics).counters).toMatchObject({ tasksFailed: 1 });
    expect(table.inFlightTasks).toBe(0);
  });
});

test('a count of tokens that cannot be true is counted, and ends the account of no other sample', () => {
  const metrics = apply([
    START,
    ...[1, 2].flatMap(id => [issued(id, 10), receivedFirst(id, 20), receivedMore(id, 30)]),
    complete(1, 40, { outputTokens: 200_000_000_000, chunkCount: 2 }),
    complete(2, 40, { outputTokens: 4, chunkCount: 2 }),
  ]);
  const series = seriesOf(metrics);
  expect(series['outputTokens']).toMatchObject({ count: 2, max: 200_000_000_000 });
  expect(series['tokensPerChunk']).toMatchObject({ count: 1, max: 2 });
});
