// A daemon prepares views of a large fleet before a reader comes, in turns, and a reader that comes meanwhile gets the current state.

import { expect, test } from 'vitest';
import type { State } from '../../../src/core/state.ts';
import { EarlyLooks } from '../../../src/daemon/http/stream/early-looks.ts';
import { groupedState, NOW_MS } from '../../support/grouped-nodes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const fleet = (memoryUse: number): State =>
  groupedState(Array.from({ length: 200 }, (_, index) => ({ name: `n-${index}`, rack: 'r1', memoryUse })));
const levelsOf = (early: EarlyLooks) => early.looks.picture(undefined)?.levels[0]?.memory[0];

/** It ends by being stopped, and by nothing else. */
const untilStopped = async (early: EarlyLooks, signal: AbortSignal): Promise<void> => {
  const error: unknown = await early.run(() => false, signal).catch((caught: unknown) => caught);
  if (error !== signal.reason) throw error;
};

test('a page that is asked for begins a look, and half a minute without one does too', async () => {
  const clock = new VirtualClock({ nowMs: NOW_MS });
  const stop = new AbortController();
  const cluster = { state: groupedState([{ name: 'only' }]) };
  const early = new EarlyLooks({ clock, cluster });
  const running = untilStopped(early, stop.signal);
  await clock.advance(10_000);
  expect(levelsOf(early)).toBe(undefined);
  cluster.state = fleet(0.5);
  early.expectReader();
  await clock.advance(1);
  expect(levelsOf(early)).toBe(50);
  cluster.state = fleet(0.6);
  early.expectReader();
  await clock.advance(1);
  // What was looked at just now serves the page as it is.
  expect(levelsOf(early)).toBe(50);
  await clock.advance(30_000);
  expect(levelsOf(early)).toBe(60);
  stop.abort();
  await running;
});

test('a look in turns lets others work, and a reader who comes meanwhile gets the newest state', async () => {
  const stop = new AbortController();
  let nowMs = NOW_MS;
  // Each question for the time is a millisecond, so a turn ends after some steps.
  const clock = Object.assign(new VirtualClock(), {
    nowMs: () => (nowMs += 1),
    sleep: async () => undefined,
  });
  const cluster = { state: fleet(0.5) };
  const early = new EarlyLooks({ clock, cluster });
  const running = untilStopped(early, stop.signal);
  await new Promise(setImmediate);
  expect(levelsOf(early)).toBe(undefined);
  cluster.state = fleet(0.7);
  early.lookIfOlder(60_000);
  expect(levelsOf(early)).toBe(70);
  stop.abort();
  await running;
});
