import { describe, expect, test } from 'vitest';
import type { ClientRecord } from '../../src/core/run/event-record.ts';
import { lookUp } from '../../src/core/run/metric-lookup.ts';
import { unknown } from '../../src/core/unknown.ts';
import type { ClientEvidence } from '../../src/metrics/client-verdict.ts';
import { clientVerdict } from '../../src/metrics/client-verdict.ts';
import { reportClient } from '../../src/metrics/report-client.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';

const MS = 1_000_000;
const SECOND = 1_000 * MS;

const well: ClientEvidence = {
  pattern: { kind: 'poisson', requestsPerSecond: 100 },
  sendLatenessNs: { p50: 1_000, p99: 0.2 * MS, max: 3 * MS },
  readLatenessNs: { p50: 0.5 * MS, p99: 2 * MS, max: 8 * MS },
  eventLoopUtilization: 0.99,
  cpuShare: 0.98,
  gcPauseNs: { total: 10 * MS, max: 2 * MS },
  observedNs: 10 * SECOND,
  starvedNs: 0,
  measuredNsP50: 50 * MS,
  lostRecords: 0,
  inconsistentSamples: 0,
  samplesFailedByClient: 0,
};

const closedLoop = { pattern: { kind: 'concurrency', concurrency: 8 } } as const;

describe('the verdict on the client', () => {
  test('is trustworthy when nothing speaks against it, a spinning pacer included', () => {
    expect(clientVerdict(well)).toEqual({ verdict: 'trustworthy', reasons: [], starved: false });
  });

  test.each<[string, Partial<ClientEvidence>, RegExp]>([
    ['records were lost', { lostRecords: 1 }, /1 event records were lost/],
    ['samples contradict themselves', { inconsistentSamples: 2 }, /2 samples had stamps/],
    ['it failed samples itself', { samplesFailedByClient: 3 }, /3 samples failed because of the client/],
    ['it sent late', { sendLatenessNs: { p50: 1, p99: 3 * MS, max: 3 * MS } }, /sent late: p99 3\.00.ms/],
    ['it read late', { readLatenessNs: { p50: 6 * MS, p99: 9 * MS, max: 9 * MS } }, /read late/],
    ['it was starved', { starvedNs: 2 * SECOND, cpuShare: 0.4 }, /starved .* 20% .*99%.*40%/],
    ['it was busy all the time in closed loop', closedLoop, /busy for 99%/],
    ['it collected garbage', { gcPauseNs: { total: SECOND, max: MS } }, /garbage collection .* 10%/],
  ])('is client-bound when %s', (_, change, words) => {
    const { verdict, reasons } = clientVerdict({ ...well, ...change });
    expect(verdict).toBe('client-bound');
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(words);
  });

  test('measures lateness by what it could spoil: 3 ms do not matter beside a second', () => {
    const late = { sendLatenessNs: { p50: 1, p99: 3 * MS, max: 3 * MS }, measuredNsP50: SECOND };
    expect(clientVerdict({ ...well, ...late }).verdict).toBe('trustworthy');
  });

  test('asks for no schedule in closed loop', () => {
    const late = { sendLatenessNs: { p50: 1, p99: SECOND, max: SECOND }, eventLoopUtilization: 0.3 };
    expect(clientVerdict({ ...well, ...closedLoop, ...late }).verdict).toBe('trustworthy');
  });

  test('is given to nobody who was not observed', () => {
    const nothing = unknown('lost');
    const evidence = {
      ...well,
      readLatenessNs: nothing,
      eventLoopUtilization: nothing,
      cpuShare: nothing,
      gcPauseNs: nothing,
      observedNs: 0,
    };
    expect(clientVerdict(evidence)).toMatchObject({
      verdict: 'unknown',
      reasons: ['the client left no observation of itself'],
    });
  });
});

describe("the client's own figures", () => {
  const observed = (thread: number, atNs: number, more: Partial<ClientRecord> = {}): ClientRecord => ({
    kind: 'client.observed',
    atNs,
    thread,
    eventLoopUtilization: 0.2,
    cpuShare: 0.2,
    eventLoopDelayNsMax: 1_000.4,
    readLatenessNsMax: 2_000,
    gcPauseNsTotal: 5,
    gcPauseNsMax: 4,
    connectionsOpened: 1,
    connectionsReused: 2,
    connectionsClosed: 0,
    connectionsStale: 1,
    ...more,
  });

  const clientOf = (...records: readonly [ClientRecord, boolean][]) => {
    const pattern = { kind: 'concurrency', concurrency: 1 } as const;
    const metrics = new RunMetrics({ pattern, isStreaming: true, objectives: [] });
    for (const [record, isTracking] of records) metrics.client.observed(record, isTracking);
    const snapshot = {
      seq: 1,
      timestampNs: 0,
      state: 'complete',
      pendingTasks: 0,
      metrics: metrics.final(),
    } as const;
    return reportClient(lookUp(snapshot), { pattern, droppedEvents: 0 });
  };

  test('are weighed by time, and those of the busiest thread are told', () => {
    const client = clientOf(
      [observed(0, SECOND), true],
      [observed(1, SECOND, { eventLoopUtilization: 0.8, cpuShare: 0.7 }), true],
      [observed(1, 4 * SECOND, { eventLoopUtilization: 0.4, cpuShare: 0.3 }), true],
    );
    expect(client.eventLoopUtilization).toBeCloseTo(0.5);
    expect(client.cpuShare).toBeCloseTo(0.4);
    expect(client.gcPauseNs).toEqual({ total: 15, max: 4 });
    expect(client.readLatenessNs).toEqual({ p50: 2_000, p99: 2_000, max: 2_000 });
    expect(client.eventLoopDelayNs).toMatchObject({ max: 1_000 });
  });

  test('count connections always and everything else only while measuring', () => {
    const client = clientOf(
      [observed(0, SECOND, { eventLoopUtilization: 1, cpuShare: 0.1 }), false],
      [observed(0, 2 * SECOND), true],
    );
    expect(client).toMatchObject({ starved: false, eventLoopUtilization: 0.2, verdict: 'trustworthy' });
    expect(client.connections).toEqual({ opened: 2, reused: 4, closed: 0, stale: 2 });
  });

  test('show one starved thread among others', () => {
    const client = clientOf(
      [observed(0, SECOND), true],
      [observed(1, SECOND, { eventLoopUtilization: 0.98, cpuShare: 0.4 }), true],
    );
    expect(client).toMatchObject({ starved: true, verdict: 'client-bound' });
  });
});
