// Loads that vary or are limited: what is sent when, and what is reported about it. Against a real socket, and on a
// virtual clock if the speed of replies matters.

import { expect, test } from 'vitest';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { loadProfile } from '../../../src/bench/schedule/load-profile.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { PLAIN_SHAPE, type RunShape } from '../../../src/core/run/run-shape.ts';
import { chunkedStream, STREAM } from '../target/reply-shapes.ts';
import { loadPlan } from './load-plan.ts';
import { type RunHere, runHere } from './run-here.ts';
import { runVirtually as runOnVirtualClock } from './run-virtually.ts';
import { scriptedServer } from './scripted-server.ts';

const GOOD = chunkedStream(STREAM);

/** Answers each request this long after it came. */
const slowServer = (ms: number) =>
  scriptedServer(({ socket }) => {
    setTimeout(() => socket.write(GOOD), ms);
  });

/** On a virtual clock, each reply this long behind its request. */
const runVirtually = (plan: Partial<LoadPlan>, replyMs: number): Promise<RunHere> =>
  runOnVirtualClock(plan, { reply: () => GOOD, replyMs });

const overlapMax = (samples: readonly EndedSample[], fromNs = 0): number => {
  const moments = samples
    .filter(({ endNs }) => endNs > fromNs)
    .flatMap(({ sentNs, endNs }) => [
      { atNs: Math.max(sentNs, fromNs), change: 1 },
      { atNs: endNs, change: -1 },
    ])
    .toSorted((a, b) => a.atNs - b.atNs || a.change - b.change);
  let inFlight = 0;
  return Math.max(0, ...moments.map(({ change }) => (inFlight += change)));
};

const users = (concurrency: number, shape: Partial<RunShape>) => {
  const pattern = { kind: 'concurrency', concurrency } as const;
  return { pattern, course: loadProfile(pattern, { ...PLAIN_SHAPE, ...shape }, 256) };
};

test('under --max-in-flight an arrival waits for a slot, and that wait is separate from our own lateness', async () => {
  await using server = await slowServer(10);
  const { samples } = await runHere(
    loadPlan({
      ...server,
      pattern: { kind: 'constant', requestsPerSecond: 1_000 },
      inFlightCap: 2,
      limits: { samplesMax: 30, durationNs: undefined },
    }),
  );
  expect(samples).toHaveLength(30);
  expect(overlapMax(samples)).toBe(2);
  const ends = new Set(samples.map(({ endNs }) => endNs));
  const delayed = samples.filter(({ heldBackNs }) => heldBackNs > 0);
  expect(delayed.length).toBeGreaterThan(20);
  for (const { intendedNs, heldBackNs, sentNs } of delayed) {
    // Until the very moment at which one before it ended: what is left is ours.
    expect(ends).toContain(intendedNs + heldBackNs);
    expect(sentNs).toBeGreaterThanOrEqual(intendedNs + heldBackNs);
  }
  const intended = samples.map(({ intendedNs }) => intendedNs).toSorted((a, b) => a - b);
  for (const [index, atNs] of intended.entries())
    expect(atNs - (intended[0] ?? 0)).toBeCloseTo(index * 1e6, -1);
});

test('what is still held back at the end of the duration is never sent, and counted', async () => {
  await using server = await slowServer(30);
  const { samples, records } = await runHere(
    loadPlan({
      ...server,
      pattern: { kind: 'constant', requestsPerSecond: 1_000 },
      inFlightCap: 1,
      limits: { samplesMax: undefined, durationNs: 100e6 },
    }),
  );
  expect(samples.length).toBeLessThan(10);
  const last = records.findLast(({ kind }) => kind === 'client.observed');
  expect(last).toMatchObject({ arrivalsWaiting: 100 - samples.length });
});

test('a closed loop ramps up user by user, and only what is sent behind the ramp is measured and counted', async () => {
  const { samples, records, startNs } = await runVirtually(
    { ...users(4, { rampMs: 80 }), limits: { samplesMax: 12, durationNs: undefined } },
    5,
  );
  const before = samples.filter(({ window }) => window < 0);
  const measured = samples.filter(({ window }) => window === 0);
  expect(measured).toHaveLength(12);
  const lastBeforeNs = Math.max(...before.map(({ sentNs }) => sentNs));
  expect(measured.every(({ sentNs }) => sentNs > lastBeforeNs)).toBe(true);
  const flags = records.flatMap(record => (record.kind === 'sample.issued' ? [record.isWarmup] : []));
  expect(flags.filter(isWarmup => isWarmup)).toHaveLength(before.length);
  expect(overlapMax(samples)).toBe(4);
  // One more after each quarter of the ramp.
  const sentBy = (ms: number) => samples.filter(({ sentNs }) => sentNs < startNs + ms * 1e6);
  expect([19, 39, 59, 79].map(ms => overlapMax(sentBy(ms)))).toEqual([1, 2, 3, 4]);
});

test('users leave behind the request in hand when a stage has fewer of them', async () => {
  const steps = [
    { from: 4, to: 4, durationMs: 60 },
    { from: 1, to: 1, durationMs: 60 },
  ];
  const { samples, startNs } = await runVirtually(
    { ...users(4, { steps }), limits: { samplesMax: undefined, durationNs: 120e6 } },
    5,
  );
  expect(overlapMax(samples)).toBe(4);
  const lasting = samples.filter(({ sentNs, endNs }) => sentNs < startNs + 60e6 && endNs > startNs + 60e6);
  expect(lasting.length).toBeGreaterThan(0);
  expect(overlapMax(samples, Math.max(...lasting.map(({ endNs }) => endNs)))).toBe(1);
});
