// A peer that claims what cannot be of trains of datagrams, against a real socket of loopback.

import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { ToSource } from '../../../src/probe/socket/control-message.ts';
import { DatagramEnd } from '../../../src/probe/socket/datagram-end.ts';
import { Trains } from '../../../src/probe/socket/datagram-trains.ts';

const PLAN = { sizes: [600], count: 4, intervalUs: 500 };
const COUNTED = {
  kind: 'train-counted',
  train: 1,
  count: 4,
  reordered: 0,
  dropped: 0,
  numbers: [0, 1, 2, 3],
} as const;
const SENT = { kind: 'train-sent', train: 1, sent: 4, isWhole: '' } as const;

const runAgainst = async (direction: 'upload' | 'download', reply: ToSource) => {
  await using end = await DatagramEnd.open({
    localAddress: '127.0.0.1',
    remoteAddress: '127.0.0.1',
    port: 0,
    secret: '0123456789abcdef',
    sourceInterface: undefined,
    sockets: undefined,
    clock: systemClock,
  });
  const parts = { end, port: end.port, clock: systemClock, signal: new AbortController().signal };
  const trains = new Trains(parts, async (_message, kind) => {
    const isOfKind = (one: ToSource): one is Extract<ToSource, { kind: typeof kind }> => one.kind === kind;
    if (!isOfKind(reply)) throw new Error('another message');
    return reply;
  });
  return await trains.run(direction, PLAN, 1);
};

test('what was sent may arrive', async () => {
  expect(await runAgainst('upload', COUNTED)).toMatchObject({ sent: 4, received: { count: 4 } });
  expect(await runAgainst('download', SENT)).toMatchObject({ sent: 4 });
});

test.each([
  ['upload', 'received more', { ...COUNTED, count: 5 }],
  ['upload', 'received more', { ...COUNTED, reordered: 5 }],
  ['upload', 'received more', { ...COUNTED, numbers: [4] }],
  ['download', 'sent more', { ...SENT, sent: Number.MAX_SAFE_INTEGER }],
] as const)('an %s of which the other end claims to have %s is refused', async (direction, claim, reply) => {
  await expect(runAgainst(direction, reply)).rejects.toThrow(`claims to have ${claim} than`);
});
