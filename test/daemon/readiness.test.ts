import { expect, test } from 'vitest';
import { untilAborted } from '../../src/clock/clock.ts';
import { READY_MS_MAX, Readiness } from '../../src/daemon/readiness.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const readinessOf = (names: readonly string[]) => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const missing = new Set(names);
  const first = Promise.withResolvers<void>();
  const readiness = new Readiness({
    clock,
    stop: stop.signal,
    missingReadings: () => [...missing],
    whenFirst: signal => Promise.race([first.promise, untilAborted(signal)]),
  });
  return { clock, stop, missing, readiness, arrive: () => first.resolve() };
};

test('is missing the readings that no source has reported, until all are there', async () => {
  const { missing, readiness, arrive } = readinessOf(['memory', 'network']);
  const ready = readiness.whenReady();
  expect(readiness.missing).toEqual(['first reading of memory', 'first reading of network']);
  missing.delete('memory');
  expect(readiness.missing).toEqual(['first reading of network']);
  missing.clear();
  arrive();
  await ready;
  expect(readiness.missing).toEqual([]);
});

test('does not wait for a source that hangs for longer than half a minute', async () => {
  const { clock, readiness } = readinessOf(['rdma']);
  const ready = readiness.whenReady();
  await clock.advance(READY_MS_MAX - 1);
  expect(readiness.missing).toEqual(['first reading of rdma']);
  await clock.advance(1);
  await ready;
  expect(readiness.missing).toEqual([]);
  expect(clock.sleeperCount).toBe(0);
});

test('is not ready while it stops, even if all else is', async () => {
  const { stop, missing, readiness, arrive } = readinessOf([]);
  missing.clear();
  arrive();
  await readiness.whenReady();
  stop.abort();
  expect(readiness.missing).toEqual(['the daemon stops']);
});

test('names a few of many, and counts the others', () => {
  const { readiness } = readinessOf(Array.from({ length: 20 }, (_, index) => `source ${index}`));
  expect(readiness.missing).toHaveLength(9);
  expect(readiness.missing.at(-1)).toBe('12 more');
});
