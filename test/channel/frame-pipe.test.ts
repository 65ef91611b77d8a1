import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { frameHead } from '../../src/channel/frame-decoder.ts';
import { MemoryLinkPipe } from '../../src/channel/memory-pipe.ts';
import { SocketPipe } from '../../src/channel/socket-pipe.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { ByteBudget } from '../../src/core/byte-budget.ts';
import {
  CONTRACT_PAYLOAD_BYTES_MAX,
  framePipeContract,
  PipeRecord,
} from '../contract/frame-pipe-contract.ts';
import { pskHost, pskSocket, TEST_SECRET } from '../support/psk-sockets.ts';

framePipeContract('in memory', async () => {
  const way = { isBlocked: () => false, delayMs: () => 0 };
  const pipes = MemoryLinkPipe.pair(systemClock, way, way);
  return Object.assign(pipes, { [Symbol.asyncDispose]: async () => undefined });
});

const pskSockets = async () => {
  const host = await pskHost();
  const near = await pskSocket(host.port);
  await host.until(() => host.opened.length === 1);
  const [far] = host.opened;
  if (far === undefined) throw new Error('no connection arrived');
  return {
    near,
    far,
    [Symbol.asyncDispose]: async () => {
      near.destroy();
      await host[Symbol.asyncDispose]();
    },
  };
};

framePipeContract('over TLS', async () => {
  const sockets = await pskSockets();
  const pipes: readonly [SocketPipe, SocketPipe] = [
    new SocketPipe(sockets.near, CONTRACT_PAYLOAD_BYTES_MAX),
    new SocketPipe(sockets.far, CONTRACT_PAYLOAD_BYTES_MAX),
  ];
  return Object.assign(pipes, { [Symbol.asyncDispose]: () => sockets[Symbol.asyncDispose]() });
});

describe('a pipe over a socket', () => {
  test('reads frames that are split at any byte', async () => {
    await using sockets = await pskSockets();
    const record = new PipeRecord();
    new SocketPipe(sockets.far, 100).listen(record);
    const bytes = Buffer.concat([
      frameHead(1, 3),
      Buffer.from('abc'),
      frameHead(2, 0),
      frameHead(3, 1),
      Buffer.of(9),
    ]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      sockets.near.write(bytes.subarray(0, cut));
      await record.until(() => record.frames.length >= 3 * (cut - 1));
      sockets.near.write(bytes.subarray(cut));
      await record.until(() => record.frames.length === 3 * cut);
    }
    expect(record.frames.slice(-3).map(({ kind, payload }) => [kind, ...payload])).toEqual([
      [1, 97, 98, 99],
      [2],
      [3, 9],
    ]);
    expect(record.ends).toEqual([]);
  });

  test('reports a frame above the limit by its head, and nothing after it', async () => {
    await using sockets = await pskSockets();
    const record = new PipeRecord();
    new SocketPipe(sockets.far, 100).listen(record);
    sockets.near.write(Buffer.concat([frameHead(1, 101), frameHead(2, 0)]));
    await record.until(() => record.ends.length > 0);
    sockets.near.end(frameHead(3, 0));
    await record.until(() => record.ends.length > 1);
    expect(record.ends).toEqual(['malformed: a frame of 102 bytes', 'closed']);
    expect(record.frames).toEqual([]);
  });

  test('closes when its peer has ended its half, and drops the frame that it never completed', async () => {
    await using sockets = await pskSockets();
    const record = new PipeRecord();
    new SocketPipe(sockets.far, 100).listen(record);
    sockets.near.end(Buffer.concat([frameHead(1, 0), frameHead(2, 50), Buffer.alloc(49)]));
    await record.until(() => record.ends.length > 0);
    expect(record.frames.map(({ kind }) => kind)).toEqual([1]);
    expect(record.ends).toEqual(['closed']);
  });

  test('stops within a frame as long as its peer, and gives it up when all of them together exceed the budget', async () => {
    await using stalled = await pskSockets();
    await using small = await pskSockets();
    const budget = new ByteBudget(100_000);
    const [large, tiny] = [new PipeRecord(), new PipeRecord()];
    for (const [sockets, record] of [
      [stalled, large],
      [small, tiny],
    ] as const) {
      const pipe = new SocketPipe(sockets.far, 10);
      pipe.allow(1_000_000, budget);
      pipe.listen(record);
    }
    small.near.write(Buffer.concat([frameHead(1, 1_000), Buffer.alloc(999)]));
    stalled.near.on('error', () => undefined);
    stalled.near.write(Buffer.concat([frameHead(1, 900_000), Buffer.alloc(800_000)]));
    await large.until(() => large.ends.length > 0);
    expect(budget.evicted).toBe(1);
    small.near.write(Buffer.alloc(1));
    await tiny.until(() => tiny.frames.length === 1);
    expect(tiny.ends).toEqual([]);
  });
});

describe('a listener for a secret', () => {
  test('admits nobody with another secret, another id, or one that is not accepted any more', async () => {
    let secret: Uint8Array | undefined = TEST_SECRET.psk;
    await using host = await pskHost({}, () => secret);
    await expect(pskSocket(host.port, { ...TEST_SECRET, psk: new Uint8Array(32) })).rejects.toThrow();
    await expect(pskSocket(host.port, { ...TEST_SECRET, id: 'other' })).rejects.toThrow();
    secret = undefined;
    await expect(pskSocket(host.port)).rejects.toThrow();
    await host.until(() => host.refusals.length === 3);
    expect(host.opened).toEqual([]);
  });

  test('ends one that stalls within its handshake', async () => {
    await using host = await pskHost({ handshakeMs: 200 });
    const socket = connect({ host: '127.0.0.1', port: host.port }).on('error', () => undefined);
    socket.write(Buffer.from([22, 3, 1]));
    await once(socket.resume(), 'close');
    await host.until(() => host.refusals.length > 0);
    expect(host.refusals).toEqual(['too-slow: its handshake took longer than 0.2 s']);
  });

  test('closes what comes when as many are open as may be', async () => {
    await using host = await pskHost({ openMax: 1 });
    const first = await pskSocket(host.port);
    const second = await pskSocket(host.port);
    if (!second.closed) await once(second.resume(), 'close');
    await host.until(() => host.refusals.length === 1);
    expect(host.opened.length).toBe(1);
    first.destroy();
  });

  test('replaces the oldest of the address that has the most, if it may', async () => {
    await using host = await pskHost({ handshakesMax: 2, handshakesPerAddressMax: 2 });
    const strangers = Array.from({ length: 2 }, () =>
      connect({ host: '127.0.0.1', port: host.port }).on('error', () => undefined),
    );
    await Promise.all(strangers.map(socket => once(socket, 'connect')));
    await expect(pskSocket(host.port)).rejects.toThrow();
    expect(host.refusals).toEqual(['too-many: 2 handshakes from this address are in progress']);
    for (const socket of strangers) socket.destroy();
    await host.until(() => host.refusals.length === 3);

    await using other = await pskHost({ handshakesMax: 2, handshakesPerAddressMax: 2, replacesOwn: true });
    const more = Array.from({ length: 2 }, () =>
      connect({ host: '127.0.0.1', port: other.port }).on('error', () => undefined),
    );
    await Promise.all(more.map(socket => once(socket, 'connect')));
    const socket = await pskSocket(other.port);
    expect(other.refusals).toEqual(['too-slow: it was replaced by others waiting']);
    for (const open of [...more, socket]) open.destroy();
  });
});
