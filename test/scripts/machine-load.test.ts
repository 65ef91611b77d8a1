// What failed tests are told of the machine, and how long a second try waits for it.

import { expect, test } from 'vitest';
import { machineLoad } from '../support/scripts.ts';

const { loadBetween, loadText, readLoad, whenQuiet } = machineLoad;

test('processors are busy for the time that is neither idle nor withheld', () => {
  const before = { busyMs: 1_000, totalMs: 10_000, stolenMs: 50 };
  const after = { busyMs: 7_000, totalMs: 20_000, stolenMs: 1_550 };
  expect(loadBetween(before, after)).toEqual({ busy: 0.6, stolen: 0.15 });
  expect(loadBetween({ busyMs: 0, totalMs: 0 }, { busyMs: 30, totalMs: 40 })).toEqual({ busy: 0.75 });
  expect(loadBetween(before, before)).toBeUndefined();
});

test.each([
  [{ busy: 0.641, stolen: undefined }, 'the processors of this machine were 64 % busy'],
  [{ busy: 0, stolen: 0.001 }, 'the processors of this machine were 0 % busy'],
  [
    { busy: 0.1, stolen: 0.3 },
    'the processors of this machine were 10 % busy, and its hypervisor withheld 30 %',
  ],
])('%j is told in words', (load, text) => {
  expect(loadText(load)).toBe(text);
});

/** A machine whose processors are busy for these shares of the time, one look after another. */
const machine = (shares: readonly number[]) => {
  let nowMs = 0;
  let busyMs = 0;
  let looks = 0;
  return {
    read: () => ({ busyMs, totalMs: nowMs }),
    pause: (ms: number) => {
      busyMs += ms * (shares[Math.min(looks, shares.length - 1)] ?? 0);
      nowMs += ms;
      looks += 1;
      return Promise.resolve();
    },
    nowMs: () => nowMs,
  };
};

test('a second try waits until the processors are quiet', async () => {
  const { nowMs, ...busy } = machine([0.9, 0.8, 0.1, 0.9]);
  expect(await whenQuiet({ secondsMax: 60, ...busy })).toMatchObject({ busy: expect.closeTo(0.1) });
  expect(nowMs()).toBe(6_000);
});

test('a second try waits no longer than its bound, and says how busy it still is', async () => {
  const { nowMs, ...busy } = machine([0.9]);
  expect(await whenQuiet({ secondsMax: 20, ...busy })).toMatchObject({ busy: expect.closeTo(0.9) });
  expect(nowMs()).toBe(20_000);
  expect(await whenQuiet({ secondsMax: 0, ...busy })).toBeUndefined();
});

test('this machine can be read', () => {
  const { busyMs, totalMs } = readLoad();
  expect(busyMs).toBeGreaterThan(0);
  expect(totalMs).toBeGreaterThanOrEqual(busyMs);
});
