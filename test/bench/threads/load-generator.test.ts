import { expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { longCount } from '../../support/counts.ts';
import { loadPlan } from '../load/load-plan.ts';
import { runLoad } from './run-load.ts';

const addressOf = ({ host, port }: Mock) => ({ host, port });
const QUICK = { ttftMs: 2, gapMs: 1, outputTokens: 5 };

const expectOrder = (sample: EndedSample): void => {
  const { intendedNs, sentNs, firstByteNs, firstContentNs, chunkGapsNs, endNs } = sample;
  expect(intendedNs).toBeLessThanOrEqual(sentNs);
  expect(sentNs).toBeLessThanOrEqual(firstByteNs);
  expect(firstByteNs).toBeLessThanOrEqual(firstContentNs);
  expect(Math.min(0, ...chunkGapsNs)).toBe(0);
  expect(firstContentNs + chunkGapsNs.reduce((sum, gap) => sum + gap, 0)).toBeLessThanOrEqual(endNs);
};

test.each([1, 100, longCount(200, 1_000)])(
  'at %i streams the counts are those of the server',
  async streams => {
    await using mock = await startMock(QUICK);
    const samples = Math.max(20, streams * 2);
    const plan = loadPlan({
      ...addressOf(mock),
      pattern: { kind: 'concurrency', concurrency: streams },
      limits: { samplesMax: samples, durationNs: undefined },
      threads: { load: 2, parse: 1 },
      warmupRequests: 3,
    });
    const reported = await runLoad(plan);
    expect(reported.result).toMatchObject({
      kind: 'complete',
      reasons: [],
      droppedEvents: 0,
      arenaFullCount: 0,
    });
    expect(reported.samples).toHaveLength(samples + 3);
    expect(new Set(reported.samples.map(({ sampleId }) => sampleId)).size).toBe(samples + 3);
    expect(reported.samples.every(({ outcome }) => outcome === 'completed')).toBe(true);
    expect(reported.samples.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(5 * (samples + 3));
    expect(reported.samples.reduce((sum, { chunkCount }) => sum + chunkCount, 0)).toBe(5 * (samples + 3));
    expect(reported.counts).toEqual({ issued: samples + 3, warmup: 3, ended: samples + 3 });
    expect(mock.log()).toMatchObject({ requests: samples + 3 });
    for (const sample of reported.samples) expectOrder(sample);
  },
);

test('warm-up is reported before the measured phase begins, and is marked', async () => {
  await using mock = await startMock(QUICK);
  const plan = loadPlan({
    ...addressOf(mock),
    warmupRequests: 4,
    limits: { samplesMax: 2, durationNs: undefined },
  });
  const { samples, startNs, recordsBeforeStart, records } = await runLoad(plan);
  const warmup = samples.filter(({ window }) => window === -1);
  expect(warmup.map(({ sampleId }) => sampleId)).toEqual([0, 1, 2, 3]);
  expect(warmup.every(({ endNs }) => endNs < startNs)).toBe(true);
  const warmupRecords = records.filter(
    record => record.kind.startsWith('sample.') && 'sampleId' in record && record.sampleId < 4,
  );
  expect(recordsBeforeStart).toBe(warmupRecords.length);
  const measured = samples.filter(({ window }) => window === 0);
  expect(measured.map(({ sampleId }) => sampleId)).toEqual([4, 5]);
  expect(measured.every(({ sentNs }) => sentNs >= startNs)).toBe(true);
});

test.each(['poisson', 'constant'] as const)(
  '%s arrivals are the schedule, over any number of threads',
  async kind => {
    await using mock = await startMock(QUICK);
    const intended = async (load: number): Promise<readonly number[]> => {
      const plan = loadPlan({
        ...addressOf(mock),
        pattern: { kind, requestsPerSecond: 400 },
        limits: { samplesMax: 60, durationNs: undefined },
        threads: { load, parse: 1 },
        // Also on a machine that is busy with other tests, so that the server is late, each arrival finds one.
        connections: { opened: 6, max: 1_000 },
      });
      const { samples, startNs, result } = await runLoad(plan);
      expect(result.kind).toBe('complete');
      expect(samples.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
      expect(samples.filter(({ intendedNs, sentNs }) => intendedNs > sentNs)).toEqual([]);
      return samples
        .toSorted((a, b) => a.sampleId - b.sampleId)
        .map(({ intendedNs }) => intendedNs - startNs);
    };
    const one = await intended(1);
    expect(one).toHaveLength(60);
    expect(await intended(3)).toEqual(one);
  },
);

test('a duration bounds the sending, and what is in flight is followed to its end', async () => {
  await using mock = await startMock({ ttftMs: 150, gapMs: 1, outputTokens: 3 });
  const durationNs = 200e6;
  const plan = loadPlan({
    ...addressOf(mock),
    pattern: { kind: 'concurrency', concurrency: 3 },
    limits: { samplesMax: undefined, durationNs },
  });
  const { samples, startNs, issuingEndedNs } = await runLoad(plan);
  expect(samples.every(({ sentNs }) => sentNs < startNs + durationNs)).toBe(true);
  expect(samples.every(({ outcome }) => outcome === 'completed')).toBe(true);
  expect(Math.max(...samples.map(({ endNs }) => endNs))).toBeGreaterThan(issuingEndedNs);
});

test('an arrival that finds all connections busy fails as the client rather than wait', async () => {
  await using mock = await startMock({ ttftMs: 60_000 });
  const plan = loadPlan({
    ...addressOf(mock),
    pattern: { kind: 'constant', requestsPerSecond: 200 },
    limits: { samplesMax: 10, durationNs: undefined },
    connections: { opened: 4, max: 4 },
  });
  let refused = 0;
  const { samples, result } = await runLoad(plan, {
    onRecord: (record, generator) => {
      if (record.kind === 'error.client') refused += 1;
      if (refused === 6) generator.stop();
    },
  });
  expect(samples.filter(({ failure }) => failure?.kind === 'client')).toHaveLength(6);
  expect(samples.filter(({ outcome }) => outcome === 'cancelled')).toHaveLength(4);
  expect(result).toMatchObject({ kind: 'stopped', arenaFullCount: 0 });
});

test('stopping cancels what is in flight, reports all of it and ends', async () => {
  await using mock = await startMock({ ttftMs: 60_000 });
  const plan = loadPlan({
    ...addressOf(mock),
    pattern: { kind: 'concurrency', concurrency: 8 },
    limits: { samplesMax: 100, durationNs: undefined },
    threads: { load: 2, parse: 1 },
  });
  let issued = 0;
  const { samples, result } = await runLoad(plan, {
    onRecord: ({ kind }, generator) => {
      if (kind === 'sample.issued') issued += 1;
      if (issued === 8) generator.stop();
    },
  });
  expect(samples.map(({ outcome }) => outcome)).toEqual(Array(8).fill('cancelled'));
  expect(result.kind).toBe('stopped');
});

test('threads report how busy and how late they were', async () => {
  await using mock = await startMock({ ttftMs: 300, gapMs: 20, outputTokens: 20 });
  const plan = loadPlan({
    ...addressOf(mock),
    threads: { load: 2, parse: 1 },
    pattern: { kind: 'concurrency', concurrency: 2 },
    limits: { samplesMax: 2, durationNs: undefined },
  });
  const { records } = await runLoad(plan);
  const observed = records.filter(record => record.kind === 'client.observed');
  expect(new Set(observed.map(({ thread }) => thread))).toEqual(new Set([0, 1]));
  for (const { eventLoopUtilization, cpuShare, eventLoopDelayNsMax, readLatenessNsMax } of observed) {
    expect(eventLoopUtilization).toBeGreaterThanOrEqual(0);
    expect(eventLoopUtilization).toBeLessThanOrEqual(1);
    expect(cpuShare).toBeGreaterThanOrEqual(0);
    expect(eventLoopDelayNsMax).toBeGreaterThanOrEqual(0);
    expect(readLatenessNsMax).toBeGreaterThanOrEqual(0);
  }
  expect(observed.reduce((sum, { connectionsOpened }) => sum + connectionsOpened, 0)).toBe(2);
});
