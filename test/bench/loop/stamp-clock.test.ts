import { expect, test } from 'vitest';
import { StampClock } from '../../../src/bench/loop/stamp-clock.ts';

/** Two clocks of which each reading takes a microsecond. */
const clocks = () => {
  const state = { nowNs: 0, offsetNs: 5e9 };
  const tick = (): number => {
    state.nowNs += 500;
    return state.nowNs;
  };
  return { state, nowNs: tick, wallNs: () => tick() + state.offsetNs };
};

test('a timestamp of the wall clock is converted to at most a reading later than it was', () => {
  const { state, nowNs, wallNs } = clocks();
  const clock = new StampClock({ nowNs, wallNs });
  clock.check(nowNs());
  const lateNs = clock.toRun(state.nowNs + state.offsetNs) - state.nowNs;
  expect(lateNs).toBeGreaterThanOrEqual(0);
  expect(lateNs).toBeLessThanOrEqual(clock.errorNs);
  expect(clock.errorNs).toBe(1_000);
});

test('a step of the wall clock is noticed before the next timestamp, and part of the error of that round', () => {
  const { state, nowNs, wallNs } = clocks();
  const clock = new StampClock({ nowNs, wallNs });
  state.offsetNs += 3e6;
  clock.check(nowNs());
  expect(clock.errorNs).toBeGreaterThan(2.9e6);
  expect(Math.abs(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs)).toBeLessThanOrEqual(1_000);
  clock.check(nowNs());
  expect(clock.errorNs).toBe(1_000);
});

test('a slow drift is followed: the offset is measured again after 100 ms', () => {
  const { state, nowNs, wallNs } = clocks();
  const clock = new StampClock({ nowNs, wallNs });
  state.offsetNs += 15_000;
  clock.check(nowNs());
  expect(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs).toBeGreaterThan(14_000);
  state.nowNs += 101e6;
  clock.check(nowNs());
  expect(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs).toBeLessThanOrEqual(1_000);
});
