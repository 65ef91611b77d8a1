import { expect, test } from 'vitest';
import { type PublishedReading, ReadingBatches } from '../../../src/mesh/nats/fleet-publisher.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('what comes in one moment goes as one message, the newest of each place', async () => {
  const { clock, put, sent } = batches(2);
  put('memory', 1);
  put('system', 2);
  await clock.advance(10);
  put('memory', 3);
  await clock.advance(9);
  expect(sent).toEqual([]);
  await clock.advance(1);
  expect(sent).toEqual([{ atMs: 20, values: [3, 2] }]);
});

test('a node of a thousand sends a little more than once a second, and at once after a silence', async () => {
  const { clock, put, sent } = batches(1_000);
  for (let turn = 0; turn < 8; turn += 1) {
    put('memory', turn);
    if (turn % 2 === 0) put('system', turn);
    await clock.advance(500);
  }
  expect(sent).toEqual([
    { atMs: 20, values: [0, 0] },
    { atMs: 820, values: [1] },
    { atMs: 1_620, values: [3, 2] },
    { atMs: 2_420, values: [4, 4] },
    { atMs: 3_220, values: [6, 6] },
  ]);
  await clock.advance(5_000);
  put('runner', 9);
  await clock.advance(20);
  expect(sent.at(-1)).toEqual({ atMs: 9_020, values: [9] });
});

test('in a small fleet nothing waits longer than 100 ms', async () => {
  const { clock, put, sent } = batches(64);
  put('memory', 1);
  await clock.advance(20);
  put('memory', 2);
  await clock.advance(99);
  expect(sent).toHaveLength(1);
  await clock.advance(1);
  expect(sent.at(-1)).toEqual({ atMs: 120, values: [2] });
});

test('what waits at the end is still sent', async () => {
  const { put, sent, stop } = batches(1_000);
  put('memory', 1);
  await stop();
  expect(sent).toEqual([{ atMs: 0, values: [1] }]);
});

test('more than 256 KiB do not wait', () => {
  const { put, sent } = batches(1_000);
  put('memory', 1, 200_000);
  put('memory', 2, 200_000);
  expect(sent).toEqual([]);
  put('system', 3, 70_000);
  expect(sent).toEqual([{ atMs: 0, values: [2, 3] }]);
});

const batches = (members: number) => {
  const clock = new VirtualClock();
  const sent: { readonly atMs: number; readonly values: readonly number[] }[] = [];
  const beganMs = clock.nowMs();
  const values = new Map<PublishedReading, number>();
  const made = new ReadingBatches({
    clock,
    memberCount: () => members,
    send: readings =>
      sent.push({
        atMs: clock.nowMs() - beganMs,
        values: readings.map(reading => values.get(reading) ?? Number.NaN),
      }),
  });
  const abort = new AbortController();
  const running = made.run(abort.signal);
  return {
    clock,
    sent,
    put: (key: string, value: number, bytes = 10) => {
      const entry = { ageMs: 0, body: new Uint8Array(bytes) };
      const reading: PublishedReading = { entry, slot: key, reportedAtMs: clock.nowMs() };
      values.set(reading, value);
      made.put(key, reading);
    },
    stop: async () => {
      abort.abort();
      await running;
    },
  };
};
