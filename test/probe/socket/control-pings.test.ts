// What a queue adds to a round trip, from round trips without and with a load.

import { expect, test } from 'vitest';
import { pause } from '../../../src/clock/clock.ts';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';
import { ControlPings, queueNs, reasonAgainstPings } from '../../../src/probe/socket/control-pings.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const IDLE = [20e6, 21e6, 20e6, 22e6];

test('a queue adds what the later half takes longer, while slow start still fills it in the first', () => {
  expect(queueNs(IDLE, [20e6, 40e6, 90e6, 200e6, 201e6, 202e6])).toBe(181e6);
});

test('a load that makes nothing longer adds nothing, and never less than nothing', () => {
  expect(queueNs(IDLE, [19e6, 19e6, 19e6, 19e6, 19e6, 19e6])).toBe(0);
});

test('too few round trips report it instead of a figure', () => {
  expect(queueNs(IDLE.slice(2), Array(6).fill(1))).toMatchObject({
    reason: expect.stringContaining('2 idle'),
  });
  expect(queueNs(IDLE, [1, 2, 3])).toMatchObject({
    reason: expect.stringContaining('3 round trips under load'),
  });
});

test('an end that measures on its event loop is not asked', () => {
  const [threads, eventLoop] = ['socket-ffi', 'socket-event-loop'];
  expect(reasonAgainstPings({ name: threads }, { engine: threads })).toBeUndefined();
  expect(reasonAgainstPings({ name: threads }, { engine: eventLoop })).toContain('event loop');
  expect(reasonAgainstPings({ name: eventLoop }, { engine: threads })).toContain('event loop');
});

test('an other end that stops answering, or answers what was not asked, holds nobody up', async () => {
  const requested: number[] = [];
  const pings = new ControlPings(sequence => requested.push(sequence), new VirtualClock());
  const stop = new AbortController();
  const beside = pings.duringLoad({ reason: undefined, roundTripMs: 1, signal: stop.signal });
  pings.receive(7);
  stop.abort();
  const { start, end } = await beside;
  start();
  expect(isUnknown(await end())).toBe(true);
  expect(requested).toEqual([1]);
});

test('idle round trips end in their time on a connection whose round trip is not a whole number of milliseconds', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const ROUND_TRIP_MS = 100.3;
  const pings: ControlPings = new ControlPings(sequence => {
    void pause(clock, ROUND_TRIP_MS, stop.signal).then(() => pings.receive(sequence));
  }, clock);
  const starting = pings.duringLoad({ reason: undefined, roundTripMs: ROUND_TRIP_MS, signal: stop.signal });
  await clock.advance(4.5 * ROUND_TRIP_MS);
  const beside = await starting;
  beside.start();
  await clock.advance(1_000);
  const ending = beside.end();
  await clock.advance(ROUND_TRIP_MS);
  expect(await ending).toBeCloseTo(0, 0);
  // Not even the limit of the idle ones is left.
  stop.abort();
  await clock.advance(0);
  expect(clock.sleeperCount).toBe(0);
});

test('a queue that grows to a second within a run of one and a half is reported as it is in the later half', async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  let loadedAtMs = Number.POSITIVE_INFINITY;
  const pings: ControlPings = new ControlPings(sequence => {
    const queueMs = Math.min(1_000, Math.max(0, clock.nowMs() - loadedAtMs));
    void pause(clock, 10 + queueMs, signal).then(() => pings.receive(sequence));
  }, clock);
  const starting = pings.duringLoad({ reason: undefined, roundTripMs: 10, signal });
  await clock.advance(1_000);
  const beside = await starting;
  loadedAtMs = clock.nowMs();
  beside.start();
  await clock.advance(1_500);
  const ending = beside.end();
  await clock.advance(1_010);
  expect(await ending).toBeCloseTo(1_000e6, 0);
});

test('where the last round trips do not come back, they have waited as long as somebody waited for them', async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const pings: ControlPings = new ControlPings(sequence => {
    if (sequence <= 20) void pause(clock, 10, signal).then(() => pings.receive(sequence));
  }, clock);
  const starting = pings.duringLoad({ reason: undefined, roundTripMs: 10, signal });
  await clock.advance(1_000);
  const beside = await starting;
  beside.start();
  await clock.advance(5_000);
  const ending = beside.end();
  await clock.advance(10_000);
  const queueNs = await ending;
  expect(isKnown(queueNs) && queueNs).toBeGreaterThan(3_000e6);
  expect(isKnown(queueNs) && queueNs).toBeLessThan(8_000e6);
});
