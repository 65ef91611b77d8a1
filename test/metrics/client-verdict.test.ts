import { describe, expect, test } from 'vitest';
import {
  type BeatsRecord,
  type ClientRecord,
  type HostRecord,
  NO_FIGURE,
} from '../../src/core/run/event-record.ts';
import { lookUp } from '../../src/core/run/snapshot.ts';
import { unknown } from '../../src/core/unknown.ts';
import { type ClientEvidence, clientVerdict } from '../../src/metrics/client-verdict.ts';
import { reportClient } from '../../src/metrics/report-client.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';

const MS = 1_000_000;
const SECOND = 1_000 * MS;

const well: ClientEvidence = {
  pattern: { kind: 'poisson', requestsPerSecond: 100 },
  stamps: { by: 'read', reason: 'TLS' },
  sendLatenessNs: { p50: 1_000, p99: 0.2 * MS, max: 3 * MS },
  readLatenessNs: { p50: 0.5 * MS, p99: 2 * MS, max: 8 * MS },
  beatLatenessNs: { p50: 0.2 * MS, p99: 1.5 * MS, max: 12 * MS },
  throttledShare: 0,
  pressureShare: 0.3,
  stolenShare: 0,
  eventLoopUtilization: 0.99,
  cpuShare: 0.98,
  gcPauseNs: { total: 10 * MS, max: 2 * MS },
  observedNs: 10 * SECOND,
  starvedNs: 0,
  parsePausedNs: 0,
  measuredNsP50: 50 * MS,
  lostRecords: 0,
  inconsistentSamples: 0,
  samplesFailedByClient: 0,
  hasFigures: true,
  sent: 10_000,
  waitedShare: 0.001,
};

const closedLoop = { pattern: { kind: 'concurrency', concurrency: 8 } } as const;

describe('the verdict on the client', () => {
  test('is trustworthy when nothing counts against it, a spinning pacer included', () => {
    expect(clientVerdict(well)).toEqual({ verdict: 'trustworthy', reasons: [], starved: false });
  });

  test.each<[string, Partial<ClientEvidence>, RegExp]>([
    ['records were lost', { lostRecords: 1 }, /1 event records were lost/],
    ['samples contradict themselves', { inconsistentSamples: 2 }, /2 requests had contradictory stamps/],
    ['it failed samples itself', { samplesFailedByClient: 3 }, /3 requests failed because of the client/],
    ['it sent late', { sendLatenessNs: { p50: 1, p99: 3 * MS, max: 3 * MS } }, /sent late: p99 3\.00.ms/],
    [
      'it sent some of few late, of which there is no percentile',
      { sent: 40, sendLatenessNs: { p50: 1, p99: 3 * MS, max: 30 * MS } },
      /^2 of 40 requests were sent 3\.00.ms or more after their time, over 2\.50.ms$/,
    ],
    ['it read late', { readLatenessNs: { p50: 6 * MS, p99: 9 * MS, max: 9 * MS } }, /read late/],
    ['it was starved', { starvedNs: 2 * SECOND, cpuShare: 0.4 }, /waited 20% .*99%.*40%/],
    [
      'the tail of its reads is no small part of what was measured: 35 ms beside 84 ms',
      { readLatenessNs: { p50: 0.5 * MS, p99: 35 * MS, max: 40 * MS }, measuredNsP50: 84 * MS },
      /read late: in 1 of 100 intervals by 35\.0.ms or more, over 8\.4/,
    ],
    [
      'its heart missed beats',
      { beatLatenessNs: { p50: 0, p99: 3_900 * MS, max: 4_000 * MS } },
      /was stalled: at 1 of 100 moments it was 3\.90.s late .*tasks of this machine waited for a processor for 30% of the time/,
    ],
    ['a parse thread was stalled', { parsePausedNs: 2 * SECOND }, /parsing was stalled for 20%/],
    ['a quota throttled it', { throttledShare: 0.32 }, /quota throttled the client for 32%/],
    ['its host gave the processors to others', { stolenShare: 0.2 }, /hypervisor took 20%/],
    ['it was busy all the time in closed loop', closedLoop, /busy 99%/],
    ['it collected garbage', { gcPauseNs: { total: SECOND, max: MS } }, /garbage collection .* 10%/],
  ])('is client-bound when %s', (_, change, reason) => {
    const { verdict, reasons } = clientVerdict({ ...well, ...change });
    expect(verdict).toBe('client-bound');
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(reason);
  });

  test('measures lateness by what it could spoil: 3 ms do not matter next to a second', () => {
    const late = { sendLatenessNs: { p50: 1, p99: 3 * MS, max: 3 * MS }, measuredNsP50: SECOND };
    expect(clientVerdict({ ...well, ...late }).verdict).toBe('trustworthy');
  });

  test('does not condemn a client that kept up on a machine under pressure', () => {
    expect(clientVerdict({ ...well, pressureShare: 0.98 }).verdict).toBe('trustworthy');
  });

  test('allows a pause that is a small part of what was measured: 30 ms next to a second', () => {
    const late = { beatLatenessNs: { p50: 0, p99: 30 * MS, max: 45 * MS } };
    expect(clientVerdict({ ...well, ...late, measuredNsP50: SECOND }).verdict).toBe('trustworthy');
    expect(clientVerdict({ ...well, ...late }).verdict).toBe('client-bound');
  });

  test('asks for no schedule in closed loop', () => {
    const late = { sendLatenessNs: { p50: 1, p99: SECOND, max: SECOND }, eventLoopUtilization: 0.3 };
    expect(clientVerdict({ ...well, ...closedLoop, ...late }).verdict).toBe('trustworthy');
  });

  describe("with the kernel's timestamps", () => {
    const kernel = { stamps: { by: 'kernel' } } as const;

    test.each<[string, Partial<ClientEvidence>]>([
      ['read late', { readLatenessNs: { p50: 60 * MS, p99: 900 * MS, max: SECOND } }],
      ['missed beats', { beatLatenessNs: { p50: 0, p99: 3_900 * MS, max: 4_000 * MS } }],
      ['was starved', { starvedNs: 5 * SECOND, cpuShare: 0.4 }],
      ['was throttled by a quota', { throttledShare: 0.9 }],
      ['parsed late', { parsePausedNs: 5 * SECOND }],
      ['collected garbage', { gcPauseNs: { total: 2 * SECOND, max: SECOND } }],
      ['was busy in closed loop, but let no user wait', { ...closedLoop, eventLoopUtilization: 1 }],
    ])('is trustworthy although it %s: no figure changes by it', (_, change) => {
      const trusted = { verdict: 'trustworthy', reasons: [], starved: false };
      expect(clientVerdict({ ...well, ...kernel, ...change })).toEqual(trusted);
      expect(clientVerdict({ ...well, ...change }).verdict).toBe('client-bound');
    });

    test.each<[string, Partial<ClientEvidence>, RegExp]>([
      ['lost records', { lostRecords: 1 }, /1 event records were lost/],
      ['sent late', { sendLatenessNs: { p50: 1, p99: 3 * MS, max: 3 * MS } }, /sent late: p99 3\.00.ms/],
      [
        'let users wait in closed loop',
        { ...closedLoop, waitedShare: 0.08, throttledShare: 0.9 },
        /^users waited 8% of their time .* over 5%: it loaded less .*; a quota throttled the client for 90%/,
      ],
      ['had no processors, so that the kernel did not run', { stolenShare: 0.2 }, /hypervisor took 20%/],
    ])('is client-bound if it %s: the load was not the requested one', (_, change, reason) => {
      const { verdict, reasons } = clientVerdict({ ...well, ...kernel, ...change });
      expect(verdict).toBe('client-bound');
      expect(reasons).toEqual([expect.stringMatching(reason)]);
    });
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
      reasons: ['the client left no measurements of itself'],
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
    arrivalsWaiting: 0,
    backoffNs: 0,
    connectionsAhead: 0,
    ...more,
  });

  type OfClient = ClientRecord | BeatsRecord | HostRecord;
  const clientOf = (...records: readonly [OfClient, boolean][]) => {
    const pattern = { kind: 'concurrency', concurrency: 1 } as const;
    const stamps = { by: 'read', reason: 'TLS' } as const;
    const metrics = new RunMetrics({ pattern, isStreaming: true, objectives: [] });
    for (const [record, isTracking] of records) {
      if (record.kind === 'client.observed') metrics.client.observed(record, isTracking);
      else if (record.kind === 'client.beats') metrics.client.beats(record, isTracking);
      else metrics.host(record, isTracking);
    }
    const snapshot = {
      seq: 1,
      timestampNs: 0,
      state: 'complete',
      pendingTasks: 0,
      metrics: metrics.final(),
    } as const;
    return reportClient(lookUp(snapshot), { pattern, stamps, droppedEvents: 0 });
  };

  test('are weighed by time, and those of the busiest thread are reported', () => {
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

  test('count every heartbeat that was due in a pause', () => {
    const latenessNs = [...Array<number>(200).fill(MS), 4 * SECOND];
    const client = clientOf(
      [observed(0, SECOND), true],
      [{ kind: 'client.beats', atNs: SECOND, thread: 0, isLoad: true, latenessNs }, true],
    );
    // 200 beats on time, 201 in the pause, from 4 s late down to none.
    expect(client.beatLatenessNs).toEqual({ p50: MS, p99: 3_920 * MS, max: 4 * SECOND });
    expect(client).toMatchObject({
      verdict: 'client-bound',
      reasons: [expect.stringMatching('was stalled')],
    });
  });

  test('contain what the system reported, and nothing else as known', () => {
    const host = { kind: 'client.host', atNs: SECOND, intervalNs: SECOND, throttledNs: SECOND / 4 } as const;
    const client = clientOf([{ ...host, pressureNs: NO_FIGURE, stolenNs: 0 }, true]);
    expect(client).toMatchObject({ throttledShare: 0.25, stolenShare: 0 });
    expect(client.pressureShare).toEqual(unknown('not reported by the system'));
  });

  test('show one starved thread among others', () => {
    const client = clientOf(
      [observed(0, SECOND), true],
      [observed(1, SECOND, { eventLoopUtilization: 0.98, cpuShare: 0.4 }), true],
    );
    expect(client).toMatchObject({ starved: true, verdict: 'client-bound' });
  });
});
