import { expect, test } from 'vitest';
import { Pacer } from '../../../src/bench/load/pacing.ts';
import { LOOP_TIMERS } from '../../../src/clock/loop-timers.ts';

const startNs = process.hrtime.bigint();
const nowNs = (): number => Number(process.hrtime.bigint() - startNs);

const paced = (dueOffsets: readonly number[], spins: boolean) => {
  const { promise, resolve } = Promise.withResolvers<{ dueNs: number; sentNs: number }[]>();
  const sent: { dueNs: number; sentNs: number }[] = [];
  const zeroNs = nowNs();
  const pacer = new Pacer({ nowNs, timers: LOOP_TIMERS, spins });
  pacer.start({
    nextDueNs: () => zeroNs + (dueOffsets[sent.length] ?? Number.POSITIVE_INFINITY),
    send: dueNs => {
      sent.push({ dueNs: dueNs - zeroNs, sentNs: nowNs() - zeroNs });
      if (sent.length === dueOffsets.length) resolve(sent);
    },
  });
  return { promise, sent, pacer };
};

test.each([true, false])(
  'nothing is sent before it is due, and everything in its order (spin: %s)',
  async spins => {
    const due = [0, 0.1e6, 0.1e6, 1e6, 3e6, 3.2e6, 8e6, 20e6];
    const sent = await paced(due, spins).promise;
    expect(sent.map(({ dueNs }) => dueNs)).toEqual(due);
    expect(sent.every(({ dueNs, sentNs }) => sentNs >= dueNs)).toBe(true);
  },
);

test('what is overdue is sent at once, without starving the event loop', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 1_000) setImmediate(count);
  };
  setImmediate(count);
  const sent = await paced(Array<number>(640).fill(0), false).promise;
  expect(sent).toHaveLength(640);
  // Sockets were served between batches of 64.
  expect(turns).toBeGreaterThanOrEqual(8);
});

test('a stopped pacer sends nothing more', async () => {
  const { pacer, sent } = paced([0, 5e6, 6e6], false);
  pacer.stop();
  await paced([10e6], false).promise;
  expect(sent).toHaveLength(1);
});
