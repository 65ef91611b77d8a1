// How a session ends before its limits or behind them, on a virtual clock.

import { expect, test } from 'vitest';
import { runSession } from '../../../src/bench/run/session.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ScriptedLoad } from './scripted-load.ts';

const session = (parts: { readonly graceMs?: number; readonly onWarm?: () => boolean }) => {
  const clock = new VirtualClock();
  const load = new ScriptedLoad();
  const running = runSession({
    load,
    clock,
    hasWarmup: parts.onWarm !== undefined,
    unmeasuredNs: 0,
    record: () => undefined,
    nowNs: () => clock.nowMs() * 1e6,
    onPhase: () => undefined,
    stop: new AbortController().signal,
    stopNow: new AbortController().signal,
    ...parts,
  });
  return { clock, load, running };
};

test('what is in flight behind the load gets its grace to the millisecond, and is then cut off', async () => {
  const { clock, load, running } = session({ graceMs: 30_000 });
  await clock.advance(1_000);
  load.issuedAll(1_000e6);
  await clock.advance(29_999);
  expect(load.calls).toEqual(['start']);
  await clock.advance(1);
  expect(load.calls).toEqual(['start', 'cut off']);
  expect((await running).load.kind).toBe('complete');
});

test('a load that ends within its grace is not cut off', async () => {
  const { clock, load, running } = session({ graceMs: 30_000 });
  load.issuedAll(0);
  await clock.advance(5_000);
  load.end('complete', 5_000e6);
  await running;
  await clock.advance(60_000);
  expect(load.calls).toEqual(['start']);
});

test('without a grace requests are waited for however long they take', async () => {
  const { clock, load, running } = session({});
  load.issuedAll(0);
  await clock.advance(3_600_000);
  expect(load.calls).toEqual(['start']);
  load.end('complete', 1);
  await running;
});

test('a load whose warm-up was refused never starts', async () => {
  const { load, running } = session({ onWarm: () => false });
  load.warmedUp();
  await running;
  expect(load.calls).toEqual(['warm up', 'stop']);
});
