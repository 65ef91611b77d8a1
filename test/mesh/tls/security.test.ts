// Strangers at the port of a mesh, and members who do not keep to the protocol.

import { connect as connectPlain, createServer as createNetServer } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frameHead } from '../../../src/channel/frame-decoder.ts';
import { TLS_SETTINGS } from '../../../src/channel/psk-proof.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { type ClusterKey, deriveSecret, makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import type { RefusalReason } from '../../../src/mesh/mesh.ts';
import { TlsMesh } from '../../../src/mesh/tls/tls-mesh.ts';
import { longCount } from '../../support/counts.ts';
import { retainedBytes } from '../../support/retained-memory.ts';
import { linkOf, type SeenNode, until } from '../../support/seen-node.ts';
import { garbageFrom, talkTo } from '../../support/tcp-stranger.ts';
import {
  dial,
  hasReceived,
  listenOn,
  portOf,
  type TlsNode,
  type TlsNodeOptions,
  TlsNodes,
} from '../../support/tls-nodes.ts';
import { outcomeOf } from '../../support/tls-outcome.ts';

describe('the mesh over TLS', () => {
  let nodes: TlsNodes;
  let key: ClusterKey;
  const node = (options: TlsNodeOptions = {}): Promise<TlsNode> => nodes.node(options);

  beforeEach(() => {
    nodes = new TlsNodes();
    key = nodes.key;
  });

  afterEach(() => nodes[Symbol.asyncDispose]());

  /** Still takes a node with the key. */
  const stillServes = async (one: SeenNode): Promise<void> => {
    const friend = await node();
    dial(friend, portOf(one));
    await until(one, () => one.isLinkedTo(friend) && friend.isLinkedTo(one));
  };

  test('another cluster key is reported as the wrong key at both ends, and nothing of an identity is learnt', async () => {
    const one = await node();
    const stranger = await node({ keys: [makeClusterKey()] });
    dial(stranger, portOf(one));
    await until(one, () => hasReceived(one, 'wrong-key') && hasReceived(stranger, 'wrong-key'));
    expect(one.transport.links.size + stranger.transport.links.size).toBe(0);
  });

  test('the right key id with another key is reported as the wrong key', async () => {
    const one = await node();
    const stranger = await node({ keys: [{ id: key.id, secret: makeClusterKey().secret }] });
    dial(stranger, portOf(one));
    await until(one, () => hasReceived(one, 'wrong-key') && hasReceived(stranger, 'wrong-key'));
  });

  test('another version of the mesh is reported as such at both ends', async () => {
    const one = await node();
    const newer = await node({ version: 2 });
    dial(newer, portOf(one));
    await until(one, () => hasReceived(one, 'version'));
    expect(one.refusals.find(({ reason }) => reason === 'version')?.detail).toMatch(/version 2 .* version 1/);
  });

  test('two keys are accepted while they change, and links of a removed one are closed', async () => {
    const next = makeClusterKey();
    const one = await node({ keys: [next, key] });
    const other = await node({ keys: [key] });
    dial(one, portOf(other));
    await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
    other.mesh.setKeys([next, key]);
    expect(linkOf(other, one).isOpen).toBe(true);
    one.mesh.setKeys([next]);
    await until(one, () => other.closes.length > 0);
    expect(one.closes[0]).toMatchObject({ reason: 'key-removed', by: 'self' });
    expect(other.closes[0]).toMatchObject({ reason: 'key-removed', by: 'peer' });
    await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
  });

  test('a mesh without a key, or with three, is an error', () => {
    const options = { identity: generateNodeKey(), start: 1, listen: { host: '::1', port: 0 } };
    const rest = { clock: systemClock, random: Math.random };
    for (const keys of [[], [key, makeClusterKey(), makeClusterKey()]])
      expect(() => new TlsMesh({ ...options, ...rest, keys })).toThrow(/one cluster key/);
  });

  test('nodes meet over IPv6 too', async context => {
    const one = await node({ host: '::' }).catch(() => undefined);
    if (one === undefined) {
      context.skip('this machine has no IPv6');
      return;
    }
    const other = await node();
    dial(other, portOf(one), '::1');
    await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
    expect(linkOf(other, one).remoteAddress.host).toBe('::1');
    const third = await node();
    dial(third, portOf(one));
    await until(one, () => one.isLinkedTo(third));
    expect(linkOf(one, third).remoteAddress.host).toBe('127.0.0.1');
  });

  describe('at its port', () => {
    const asClient = async (port: number, options: ConnectionOptions): Promise<'secured' | 'refused'> => {
      const socket = connectTls({ ...TLS_SETTINGS, host: '127.0.0.1', port, servername: '', ...options });
      const reported = await outcomeOf(socket);
      socket.destroy();
      return reported;
    };

    test('refuses TLS without a key, and with the id of a key but no key', async () => {
      const one = await node();
      expect(await asClient(portOf(one), { rejectUnauthorized: false })).toBe('refused');
      const pskCallback = () => ({ psk: new Uint8Array(32), identity: key.id });
      expect(await asClient(portOf(one), { rejectUnauthorized: false, pskCallback })).toBe('refused');
      await until(one, () => hasReceived(one, 'not-a-node') && hasReceived(one, 'wrong-key'));
    });

    test('refuses a session that was opened with the key and is resumed without it', async () => {
      const one = await node();
      const psk = deriveSecret(key, 'psk');
      const first = connectTls({
        ...TLS_SETTINGS,
        secureOptions: 0,
        host: '127.0.0.1',
        port: portOf(one),
        servername: '',
        pskCallback: () => ({ psk, identity: key.id }),
        checkServerIdentity: () => new Error('no certificate'),
      });
      const sessions: Buffer[] = [];
      first.on('session', session => sessions.push(session));
      expect(await outcomeOf(first)).toBe('secured');
      await new Promise(resolve => first.once('data', resolve));
      const own = first.getSession();
      if (own !== undefined) sessions.push(own);
      first.destroy();
      for (const session of sessions) {
        expect(await asClient(portOf(one), { session, rejectUnauthorized: false, secureOptions: 0 })).toBe(
          'refused',
        );
      }
      expect(sessions.length).toBeGreaterThan(0);
    });

    test('refuses TLS 1.2 and other suites', async () => {
      const one = await node();
      const pskCallback = () => ({ psk: deriveSecret(key, 'psk'), identity: key.id });
      const old = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'PSK-AES128-GCM-SHA256' } as const;
      expect(await asClient(portOf(one), { ...old, pskCallback })).toBe('refused');
      const other = { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' };
      expect(await asClient(portOf(one), { ...other, pskCallback })).toBe('refused');
    });

    test('closes HTTP at once and reports that it is no node', async () => {
      const one = await node();
      await talkTo(portOf(one), Buffer.from('GET / HTTP/1.1\r\nHost: atlas\r\n\r\n'));
      await until(one, () => hasReceived(one, 'not-a-node'));
    });

    test('refuses the recorded bytes of another handshake', async () => {
      const one = await node();
      const other = await node();
      const recorded: Buffer[] = [];
      const recorder = createNetServer(near => {
        const far = connectPlain(portOf(one));
        near.on('data', chunk => {
          recorded.push(chunk);
          far.write(chunk);
        });
        far.on('data', chunk => near.write(chunk));
        for (const socket of [near, far]) socket.on('error', () => undefined);
        near.on('close', () => far.destroy());
        far.on('close', () => near.destroy());
      });
      dial(other, await listenOn(recorder));
      await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
      await other[Symbol.asyncDispose]();
      const before = one.refusals.length;
      await talkTo(portOf(one), Buffer.concat(recorded));
      await until(one, () => one.refusals.length > before);
      expect(one.links.length).toBe(1);
      recorder.close();
    });

    test('closes a connection that sends nothing', async () => {
      const one = await node({ limits: { handshakeMs: 200 } });
      await talkTo(portOf(one), undefined);
      await until(one, () => hasReceived(one, 'too-slow'));
    });

    test('bounds how many handshakes are in progress, and serves again when they are over', async () => {
      const one = await node({
        limits: { handshakesMax: 6, handshakesPerAddressMax: 4, handshakeMs: 1_000 },
      });
      const reported = (reason: RefusalReason): number => one.transport.refusalCounts.get(reason) ?? 0;
      await Promise.all(Array.from({ length: 300 }, () => talkTo(portOf(one), undefined)));
      await until(one, () => reported('too-many') + reported('too-slow') === 300);
      expect(reported('too-many')).toBeGreaterThan(200);
      await stillServes(one);
    });

    test('keeps no peer out while a stranger with many addresses holds every handshake', async context => {
      if (process.platform !== 'linux') context.skip('only Linux has many addresses on loopback');
      const one = await node({
        limits: { handshakesMax: 8, handshakesPerAddressMax: 2, handshakeMs: 600_000 },
      });
      const strangers = Array.from({ length: 8 }, (_, index) =>
        connectPlain({ port: portOf(one), host: '127.0.0.1', localAddress: `127.0.1.${index + 1}` }),
      );
      const closed = strangers.map(socket => {
        socket.on('error', () => undefined);
        return new Promise(resolve => socket.once('close', resolve));
      });
      await Promise.all(strangers.map(socket => new Promise(resolve => socket.once('connect', resolve))));
      await stillServes(one);
      expect(one.refusals.filter(({ reason }) => reason === 'too-slow')).toHaveLength(1);
      await one[Symbol.asyncDispose]();
      await Promise.all(closed);
    });

    test('limits how often one address may connect', async () => {
      const one = await node({ limits: { acceptBurst: 5, acceptsPerSecond: 0.001 } });
      for (let count = 0; count < 8; count += 1) await talkTo(portOf(one), Buffer.from('x\n\n\n\n\n\n\n\n'));
      await until(one, () => one.transport.refusalCounts.get('too-many') === 3);
      expect(one.refusals.filter(({ reason }) => reason !== 'too-many')).toHaveLength(5);
    });

    test('survives malformed input of every kind, counts each and keeps its memory', async () => {
      const one = await node();
      const count = longCount(1_000, 100_000);
      let refusals = 0;
      one.transport.onRefused(() => {
        refusals += 1;
      });
      // Measured from the first fifth on: until then code is compiled and tables grow.
      let early = 0;
      let made = 0;
      const worker = async (): Promise<void> => {
        while (made < count) {
          const number = made;
          made += 1;
          if (made === count / 5) early = retainedBytes();
          await talkTo(portOf(one), garbageFrom(number));
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      await until(one, () => refusals >= count);
      expect(retainedBytes() - early).toBeLessThan(RETAINED_BYTES_MAX);
      await stillServes(one);
    }, 600_000);
  });

  describe('behind the key', () => {
    /** A member by its key who does not keep to the protocol. */
    const insider = async (one: SeenNode): Promise<TLSSocket> => {
      const psk = deriveSecret(key, 'psk');
      const socket = connectTls({
        ...TLS_SETTINGS,
        host: '127.0.0.1',
        port: portOf(one),
        servername: '',
        pskCallback: () => ({ psk, identity: key.id }),
        checkServerIdentity: () => new Error('no certificate'),
      });
      expect(await outcomeOf(socket)).toBe('secured');
      socket.resume();
      return socket;
    };
    const ends = async (socket: TLSSocket): Promise<void> => {
      if (!socket.destroyed) await new Promise(resolve => socket.once('close', resolve));
    };

    const malformed: readonly (readonly [string, Uint8Array, RefusalReason])[] = [
      ['an empty frame', Buffer.alloc(4), 'malformed'],
      ['a frame longer than a handshake needs', frameHead(16, 4_000_000), 'malformed'],
      ['a frame of four gigabytes', Buffer.alloc(4, 0xff), 'malformed'],
      ['a proof before its hello', Buffer.concat([frameHead(17, 96), Buffer.alloc(96)]), 'malformed'],
      ['data before it has said who it is', Buffer.concat([frameHead(0, 3), Buffer.alloc(3)]), 'malformed'],
      ['a hello of noise', Buffer.concat([frameHead(16, 62), Buffer.alloc(62, 7)]), 'malformed'],
      [
        'a hello that is cut short',
        Buffer.concat([frameHead(16, 10), Buffer.from('PLSM\0\x01abcd')]),
        'malformed',
      ],
    ];
    test.for(malformed)('%s is refused', async ([, bytes, reason]) => {
      const one = await node();
      const socket = await insider(one);
      socket.write(bytes);
      await until(one, () => hasReceived(one, reason));
      await ends(socket);
      expect(one.transport.links.size).toBe(0);
    });

    test('a proof that is not one is refused', async () => {
      const one = await node();
      const socket = await insider(one);
      const hello = Buffer.concat([Buffer.from('PLSM\0\x01'), generateNodeKey().publicKey, Buffer.alloc(24)]);
      socket.write(Buffer.concat([frameHead(16, hello.length), hello, frameHead(17, 96), Buffer.alloc(96)]));
      await until(one, () => hasReceived(one, 'wrong-key'));
      await ends(socket);
    });

    test('a hello that never ends is ended', async () => {
      const one = await node({ limits: { handshakeMs: 300 } });
      const socket = await insider(one);
      socket.write(Buffer.alloc(3));
      await until(one, () => hasReceived(one, 'too-slow'));
      await ends(socket);
    });
  });
});

/** A retained connection takes kilobytes: less than one for each of the 80,000. */
const RETAINED_BYTES_MAX = 40_000_000;
