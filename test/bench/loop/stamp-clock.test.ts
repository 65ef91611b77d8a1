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

const after = (ms: number) => {
  const parts = clocks();
  const clock = new StampClock(parts);
  parts.state.nowNs += ms * 1e6;
  return { ...parts, clock };
};

test('a timestamp of the wall clock is converted to at most a reading later than it was', () => {
  const { state, nowNs, clock } = after(1);
  clock.check(nowNs());
  const lateNs = clock.toRun(state.nowNs + state.offsetNs) - state.nowNs;
  expect(lateNs).toBeGreaterThanOrEqual(0);
  expect(lateNs).toBeLessThanOrEqual(clock.errorNs);
  expect(clock.errorNs).toBe(1_000);
});

test.each([
  ['forward', 3e6],
  ['back', -3e6],
])(
  'a step of the wall clock %s is part of the error of what is read in the next 0.1 s, from either side of it',
  (_, stepNs) => {
    const { state, nowNs, clock } = after(1);
    const waiting = { atNs: state.nowNs, stampNs: state.nowNs + state.offsetNs };
    state.offsetNs += stepNs;
    state.nowNs += 0.2e6;
    clock.check(nowNs());
    expect(clock.isUnsteady).toBe(true);
    for (const { atNs, stampNs } of [waiting, { atNs: state.nowNs, stampNs: state.nowNs + state.offsetNs }]) {
      const lateNs = clock.toRun(stampNs) - atNs;
      expect(lateNs).toBeGreaterThanOrEqual(0);
      expect(lateNs).toBeLessThanOrEqual(clock.errorNs);
    }
    state.nowNs += 101e6;
    clock.check(nowNs());
    expect(clock.isUnsteady).toBe(false);
    expect(clock.errorNs).toBe(1_000);
    expect(Math.abs(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs)).toBeLessThanOrEqual(1_000);
  },
);

test('a step inside a round of reads is noticed by the reads that follow in the same round', () => {
  const { state, nowNs, clock } = after(1);
  clock.check(nowNs());
  state.nowNs += 0.05e6;
  state.offsetNs -= 40_000;
  clock.check(nowNs());
  // A comparison for each read would cost as much as a tenth of it.
  expect(clock.isUnsteady).toBe(false);
  state.nowNs += 0.06e6;
  clock.check(nowNs());
  expect(clock.isUnsteady).toBe(true);
  expect(clock.errorNs).toBeGreaterThanOrEqual(40_000);
});

test('a slow drift is followed: the offset is measured again after 100 ms', () => {
  const { state, nowNs, clock } = after(1);
  state.offsetNs += 15_000;
  clock.check(nowNs());
  expect(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs).toBeGreaterThan(14_000);
  state.nowNs += 101e6;
  clock.check(nowNs());
  expect(clock.toRun(state.nowNs + state.offsetNs) - state.nowNs).toBeLessThanOrEqual(1_000);
  expect(clock.isUnsteady).toBe(false);
});
