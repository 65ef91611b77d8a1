// The cable that long links are measured on: it must have the length, rate and loss that it is given, or what is concluded from it
// is worth nothing. And the probe over it.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isKnown } from '../../src/core/unknown.ts';
import { isLongRun } from '../support/counts.ts';
import { LongCable, reasonAgainstLongCables } from './long-cable.ts';
import { lineOf, outputOf, SINK_ADDRESS } from './two-hosts.ts';

const WAY = { mbit: 40, delayMs: 20, queueBytes: 100_000 };

test('a cable of 40 ms there and back takes 40 ms, and loses what its seed reports', async context => {
  const reason = reasonAgainstLongCables();
  if (reason !== undefined) return context.skip(reason);
  const lossy = { up: { ...WAY, loss: 0.2 }, down: WAY, congestionControl: 'bbr' } as const;
  const cameBack: (readonly number[])[] = [];
  for (const seed of [7, 7, 8]) {
    await using cable = await LongCable.open({ ...lossy, seed });
    await lineOf(cable.spawn('sink', process.execPath, [DATAGRAMS, 'echo']), /echoes/, context.signal);
    const source = cable.spawn('source', process.execPath, [DATAGRAMS, 'ask', SINK_ADDRESS, '40']);
    const { back, leastMs }: { readonly back: readonly number[]; readonly leastMs: number } = JSON.parse(
      await outputOf(source),
    );
    // Never shorter; longer as much as a busy machine is late.
    expect(leastMs).toBeGreaterThanOrEqual(40);
    cameBack.push(back);
  }
  const [first, again, other] = cameBack;
  expect(first?.length).toBeGreaterThan(20);
  expect(first?.length).toBeLessThan(40);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

test('a cable carries no more than its rate, and the probe reports what its queue adds to a round trip', async context => {
  const reason = reasonAgainstLongCables();
  if (reason !== undefined) return context.skip(reason);
  if (!isLongRun) return context.skip('a probe of twenty seconds: in npm run test:long');
  await using cable = await LongCable.open({ up: WAY, down: WAY, congestionControl: 'cubic' });
  const outcome = await cable.probe();
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const { uploadBitsPerSecond: up, downloadBitsPerSecond: down, ...others } = outcome.measurement;
  for (const rate of [up, down]) {
    if (!isKnown(rate)) throw new Error('a direction is unknown');
    expect(rate).toBeLessThan(WAY.mbit * 1e6);
    expect(rate).toBeGreaterThan(WAY.mbit * 1e6 * 0.9);
  }
  // A full queue of 100 kB takes 20 ms at 40 Mbit/s; a window that was halved leaves less in it, a late machine adds to it.
  for (const queueNs of [others.uploadQueueNs, others.downloadQueueNs]) {
    if (!isKnown(queueNs)) throw new Error(queueNs.reason);
    console.info(`the queue adds ${(queueNs / 1e6).toFixed(1)} ms`);
    expect(queueNs).toBeGreaterThan(3e6);
    expect(queueNs).toBeLessThan(60e6);
  }
  for (const { queueBytesMax, dropped } of await cable.end()) {
    expect(queueBytesMax).toBeLessThanOrEqual(WAY.queueBytes);
    expect(dropped).toBeGreaterThan(0);
  }
});

const DATAGRAMS = fileURLToPath(new URL('./datagram-end.ts', import.meta.url));
