// What a run of the tests reports of the machine.

import { expect, test } from 'vitest';
import { machineLoad } from '../support/scripts.ts';

const { loadBetween, loadText, readLoad } = machineLoad;

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
])('%j is one clause', (load, text) => {
  expect(loadText(load)).toBe(text);
});

test('this machine can be read', () => {
  const { busyMs, totalMs } = readLoad();
  expect(busyMs).toBeGreaterThan(0);
  expect(totalMs).toBeGreaterThanOrEqual(busyMs);
});
