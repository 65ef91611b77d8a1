// A member with the key and an identity who then does not keep to the protocol.

import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frameHead } from '../../../src/channel/frame-decoder.ts';
import { TLS_SETTINGS } from '../../../src/channel/psk-proof.ts';
import { ByteBudget } from '../../../src/core/byte-budget.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { deriveSecret } from '../../../src/mesh/key/cluster-key.ts';
import { FRAME } from '../../../src/mesh/link/pipe.ts';
import { MESH_LIMITS } from '../../../src/mesh/mesh.ts';
import { introduce } from '../../../src/mesh/tls/introduce.ts';
import { until } from '../../support/seen-node.ts';
import { hasReceived, portOf, type TlsNode, TlsNodes } from '../../support/tls-nodes.ts';
import { outcomeOf } from '../../support/tls-outcome.ts';

describe('a member of the mesh', () => {
  let nodes: TlsNodes;

  beforeEach(() => {
    nodes = new TlsNodes();
  });

  afterEach(() => nodes[Symbol.asyncDispose]());

  const member = async (
    one: TlsNode,
    options: { readonly proofKey?: Uint8Array; readonly forged?: boolean; readonly corked?: boolean } = {},
  ) => {
    const socket = connect({
      ...TLS_SETTINGS,
      host: '127.0.0.1',
      port: portOf(one),
      servername: '',
      pskCallback: () => ({ psk: deriveSecret(nodes.key, 'psk'), identity: nodes.key.id }),
      checkServerIdentity: () => new Error('no certificate'),
    });
    expect(await outcomeOf(socket)).toBe('secured');
    // From the peer's hello on nothing leaves until the test lets it: first of all our own proof.
    if (options.corked === true) socket.once('data', () => socket.cork());
    const identity = generateNodeKey();
    const signer = options.forged === true ? generateNodeKey() : identity;
    const introduction = await introduce(socket, {
      own: {
        identity: { ...identity, sign: bytes => signer.sign(bytes) },
        start: 1,
        instance: new Uint8Array(16),
      },
      isInitiator: true,
      keySecret: options.proofKey ?? deriveSecret(nodes.key, 'proof'),
      frameBytesMax: 1_000,
      partial: new ByteBudget(1_000_000),
    });
    return { socket, introduction };
  };
  const ready = Buffer.from(frameHead(FRAME.ready, 0));

  test('that opens TLS with the key but cannot prove it afterwards is refused', async () => {
    const one = await nodes.node();
    await member(one, { proofKey: new Uint8Array(32) });
    await until(one, () => hasReceived(one, 'wrong-key'));
    expect(one.links).toEqual([]);
  });

  test('that names an identity which is not its own is refused', async () => {
    const one = await nodes.node();
    await member(one, { forged: true });
    await until(one, () => hasReceived(one, 'bad-proof'));
    expect(one.links).toEqual([]);
  });

  const early: readonly (readonly [string, Uint8Array])[] = [
    ['sends data before the link is up', Buffer.concat([frameHead(FRAME.data, 1), Buffer.alloc(1)])],
    ['takes the link twice', Buffer.concat([ready, ready])],
  ];
  const late: readonly (readonly [string, Uint8Array])[] = [
    ['sends a frame of an unknown kind', frameHead(99, 0)],
    ['sends an empty frame', Buffer.alloc(4)],
    ['announces a frame past 4 MiB', frameHead(FRAME.data, 4 * 1024 * 1024 + 1)],
    ['announces four gigabytes', Buffer.alloc(4, 0xff)],
    ['sends a ping of another length', Buffer.concat([frameHead(FRAME.ping, 5), Buffer.alloc(5)])],
    ['sends a pong of another length', frameHead(FRAME.pong, 0)],
    ['introduces itself again', Buffer.concat([frameHead(16, 62), Buffer.alloc(62)])],
  ];

  test.for(early)('that %s loses it', async ([, bytes]) => {
    const one = await nodes.node();
    const { socket } = await member(one);
    socket.write(bytes);
    await until(one, () => one.refusals.length > 0 || one.closes.length > 0);
    expect([...one.refusals, ...one.closes][0]?.reason).toBe('malformed');
    socket.destroy();
  });

  test.for(late)('that %s loses its link', async ([, bytes]) => {
    const one = await nodes.node();
    const { socket } = await member(one);
    socket.write(Buffer.concat([ready, bytes]));
    await until(one, () => one.closes.length > 0);
    expect(one.closes).toMatchObject([{ reason: 'malformed', by: 'self' }]);
    expect(one.transport.links.size).toBe(0);
    socket.destroy();
  });

  test('that leaves many frames half sent holds no more than all may, and costs no honest link', async () => {
    // Nobody here pings. On a slow machine links would die of silence before all have sent, and give nothing up.
    const one = await nodes.node({ limits: { linksMax: 64, handshakesMax: 64, deadAfterMs: 600_000 } });
    const honest = await member(one);
    honest.socket.write(
      Buffer.concat([ready, frameHead(FRAME.data, HONEST_BYTES), Buffer.alloc(HONEST_BYTES - 9)]),
    );
    await until(one, () => one.transport.links.size === 1);
    const sockets: TLSSocket[] = [];
    const half = Buffer.concat([ready, frameHead(FRAME.data, FRAME_BYTES), Buffer.alloc(FRAME_BYTES - 9)]);
    for (let count = 0; count < 45; count += 1) {
      const { socket } = await member(one);
      socket.on('error', () => undefined);
      sockets.push(socket);
      const sent = new Promise(resolve => {
        socket.once('close', resolve);
        socket.write(half, () => resolve(undefined));
      });
      await sent;
      expect(one.mesh.partial.bytes).toBeLessThanOrEqual(MESH_LIMITS.partialBytesMax);
    }
    await until(one, () => one.mesh.partial.evicted >= 45 - MESH_LIMITS.partialBytesMax / FRAME_BYTES);
    expect(one.mesh.partial.bytes).toBeLessThanOrEqual(MESH_LIMITS.partialBytesMax);
    honest.socket.write(Buffer.alloc(9));
    await until(one, () => one.frames.length === 1);
    expect(one.frames[0]?.length).toBe(HONEST_BYTES);
    for (const socket of [honest.socket, ...sockets]) socket.destroy();
    await until(one, () => one.closes.length === 46);
    expect(one.mesh.partial.bytes).toBe(0);
  });

  test('whose first frame comes in one piece with the end of its handshake is received', async () => {
    const one = await nodes.node();
    const { socket } = await member(one, { corked: true });
    socket.write(ready);
    socket.uncork();
    await until(one, () => one.transport.links.size === 1);
    socket.write(Buffer.concat([frameHead(FRAME.data, 2), Buffer.from([7, 8])]));
    await until(one, () => one.frames.length === 1);
    expect([...(one.frames[0] ?? [])]).toEqual([7, 8]);
    socket.destroy();
  });

  test('that pings without end loses its link before replies to it pile up', async () => {
    const one = await nodes.node();
    const { socket } = await member(one);
    socket.write(ready);
    socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 2_000 }, () => Buffer.concat([frameHead(FRAME.ping, 4), Buffer.alloc(4)])),
    );
    const pump = (): void => {
      while (!socket.destroyed && one.closes.length === 0 && socket.write(pings));
    };
    socket.on('drain', pump);
    pump();
    await until(one, () => one.closes.length > 0);
    expect(one.closes[0]).toMatchObject({
      reason: 'malformed',
      detail: 'it pings more often than a node does',
    });
    socket.destroy();
  });
});

const FRAME_BYTES = 4 * 1024 * 1024;
const HONEST_BYTES = 1_000_000;
