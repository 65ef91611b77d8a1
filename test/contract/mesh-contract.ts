// What every mesh transport guarantees. Run on each adapter by its own test file.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateNodeKey } from '../../src/daemon/node-key.ts';
import type { MeshIdentity, MeshLimits, MeshTransport } from '../../src/mesh/mesh.ts';
import { linkOf, type SeenNode, seenNode, until } from '../support/seen-node.ts';

interface ContractNodeOptions {
  readonly identity: MeshIdentity;
  readonly start: number;
  readonly limits: Partial<MeshLimits>;
}

/** Where an adapter's transports meet. */
export interface MeshNetwork extends AsyncDisposable {
  /** Not started. */
  transport(options: ContractNodeOptions): MeshTransport;
  /** `dialler` learns the address of `listener`, over a cable of their own. */
  connect(dialler: MeshTransport, listener: MeshTransport): Promise<void>;
  /** Nothing passes any cable between the two, and no node is notified. */
  cut(one: MeshTransport, other: MeshTransport): void;
  heal(one: MeshTransport, other: MeshTransport): void;
  /** The process ends without a farewell. */
  crash(transport: MeshTransport): void;
  /** Lets time pass where the clock is virtual, else nothing. */
  pass(): Promise<void>;
  /** Sockets, pipes and the like that are open. */
  openCount(): number;
}

export const describeMesh = (name: string, createNetwork: () => MeshNetwork): void => {
  describe(`the mesh over ${name}`, () => {
    let network: MeshNetwork;
    let nodes: SeenNode[];

    beforeEach(() => {
      network = createNetwork();
      nodes = [];
    });

    afterEach(async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]();
      await network[Symbol.asyncDispose]();
    });

    const node = async (options: Partial<ContractNodeOptions> = {}): Promise<SeenNode> => {
      const { identity = generateNodeKey(), start = 1, limits = {} } = options;
      const made = seenNode(network.transport({ identity, start, limits: { ...QUICK, ...limits } }), () =>
        network.pass(),
      );
      nodes.push(made);
      await made.start();
      return made;
    };

    /** Ascending by id: the first one's dial is the one that stays. */
    const pair = async (
      options: Partial<ContractNodeOptions> = {},
    ): Promise<readonly [SeenNode, SeenNode]> => {
      const keys = [generateNodeKey(), generateNodeKey()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
      const [first = generateNodeKey(), second = generateNodeKey()] = keys;
      return [await node({ ...options, identity: first }), await node({ ...options, identity: second })];
    };

    const linked = async (
      options: Partial<ContractNodeOptions> = {},
    ): Promise<readonly [SeenNode, SeenNode]> => {
      const [one, other] = await pair(options);
      await network.connect(one.transport, other.transport);
      await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
      return [one, other];
    };

    test('a link comes up on both sides with the true ids, keys and start numbers', async () => {
      const [oneKey, otherKey] = [generateNodeKey(), generateNodeKey()];
      const one = await node({ identity: oneKey, start: 7 });
      const other = await node({ identity: otherKey, start: 9 });
      await network.connect(one.transport, other.transport);
      await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
      expect(linkOf(one, other)).toMatchObject({ peerId: otherKey.nodeId, peerStart: 9, isInitiator: true });
      expect(linkOf(other, one)).toMatchObject({ peerId: oneKey.nodeId, peerStart: 7, isInitiator: false });
      expect([...linkOf(one, other).peerPublicKey]).toEqual([...otherKey.publicKey]);
      expect(linkOf(one, other).remoteAddress.host).not.toBe('');
    });

    test('frames arrive whole and in order, both ways, the empty one and the largest too', async () => {
      const [one, other] = await linked();
      const sizes = [0, 1, 300, 65_536, 70_001, FRAME_BYTES_MAX, 2];
      const frames = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
      for (const frame of frames) {
        linkOf(one, other).send(frame);
        linkOf(other, one).send(frame);
      }
      await until(one, () => one.frames.length === sizes.length && other.frames.length === sizes.length);
      for (const { frames: got } of [one, other]) {
        expect(got.every((frame, index) => Buffer.compare(frame, frames[index] ?? NOTHING) === 0)).toBe(true);
      }
    });

    test('a frame that is longer than frames may be is refused at the sender', async () => {
      const [one, other] = await linked();
      expect(() => linkOf(one, other).send(new Uint8Array(FRAME_BYTES_MAX + 1))).toThrow(RangeError);
      expect(linkOf(one, other).isOpen).toBe(true);
    });

    test('many small frames keep their order', async () => {
      const [one, other] = await linked();
      const link = linkOf(one, other);
      for (let number = 0; number < 5_000; number += 1) link.send(numbered(number));
      await until(other, () => other.frames.length === 5_000);
      expect(other.frames.every((frame, index) => Buffer.compare(frame, numbered(index)) === 0)).toBe(true);
    });

    test('what is sent as soon as the link is up arrives', async () => {
      const [one, other] = await pair();
      for (const side of [one, other]) side.transport.onLink(link => link.send(numbered(1)));
      await network.connect(one.transport, other.transport);
      await until(one, () => one.frames.length === 1 && other.frames.length === 1);
    });

    test('a full queue returns false, and emits an event when it has drained', async () => {
      const [one, other] = await linked({ limits: { queueBytesMax: 64_000_000 } });
      const link = linkOf(one, other);
      let drains = 0;
      link.onDrain(() => {
        drains += 1;
        one.changed();
      });
      network.cut(one.transport, other.transport);
      let sent = 0;
      while (link.send(new Uint8Array(100_000))) sent += 1;
      expect(link.queuedBytes).toBeGreaterThan(1_000_000);
      network.heal(one.transport, other.transport);
      await until(one, () => drains === 1 && other.frames.length === sent + 1);
      expect(link.send(NOTHING)).toBe(true);
    });

    test('a peer that pauses reading fills the queue of the sender, is not given up, and gets all of it afterwards', async () => {
      const [one, other] = await linked({ limits: { queueBytesMax: 64_000_000 } });
      const link = linkOf(one, other);
      const reader = linkOf(other, one);
      let drains = 0;
      link.onDrain(() => {
        drains += 1;
        one.changed();
      });
      const before = other.frames.length;
      reader.pauseReading();
      let sent = 0;
      while (link.send(new Uint8Array(100_000))) sent += 1;
      expect(link.queuedBytes).toBeGreaterThan(1_000_000);
      // Until another peer, cut off since, was waited for long enough.
      const third = await node();
      await network.connect(other.transport, third.transport);
      await until(other, () => other.transport.links.has(third.transport.localId));
      network.cut(other.transport, third.transport);
      await until(other, () => other.closes.length === 1);
      expect([link.isOpen, reader.isOpen]).toEqual([true, true]);
      reader.resumeReading();
      await until(one, () => drains === 1 && other.frames.length === before + sent + 1);
      expect(link.send(NOTHING)).toBe(true);
    });

    test('a peer that does not take what it is sent is closed at the bound of the queue', async () => {
      const [one, other] = await linked();
      const link = linkOf(one, other);
      network.cut(one.transport, other.transport);
      let sent = 0;
      while (link.isOpen && sent < 1_000) {
        link.send(new Uint8Array(500_000));
        sent += 1;
      }
      expect(one.closes).toMatchObject([{ reason: 'overflow', by: 'self' }]);
      expect(sent).toBeLessThan(100);
      expect(link.queuedBytes).toBe(0);
      expect(link.send(NOTHING)).toBe(false);
    });

    test('both sides receive once why a link is closed', async () => {
      const [one, other] = await linked();
      const link = linkOf(one, other);
      link.close('malformed', 'a frame made no sense');
      link.close('stopped');
      await until(other, () => other.closes.length === 1);
      expect(one.closes).toEqual([{ reason: 'malformed', by: 'self', detail: 'a frame made no sense' }]);
      expect(other.closes).toEqual([{ reason: 'malformed', by: 'peer', detail: 'a frame made no sense' }]);
      expect(one.transport.links.get(other.transport.localId)).not.toBe(link);
    });

    test('who subscribes to a closed link is notified at once why it was closed', async () => {
      const [one, other] = await linked();
      const link = linkOf(one, other);
      link.close('stopped');
      const received: string[] = [];
      link.onClose(({ reason }) => received.push(reason));
      expect(received).toEqual(['stopped']);
    });

    test('a listener of frames that throws costs its link, not the process', async () => {
      const [one, other] = await linked();
      linkOf(other, one).onFrame(() => {
        throw new Error('not what I expected');
      });
      linkOf(one, other).send(numbered(1));
      await until(one, () => one.closes.length === 1);
      expect(one.closes[0]).toEqual({ reason: 'malformed', by: 'peer', detail: 'not what I expected' });
    });

    test('the end of a process is noticed, and its restart is a new link', async () => {
      const key = generateNodeKey();
      const one = await node();
      const other = await node({ identity: key, start: 1 });
      await network.connect(one.transport, other.transport);
      await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
      network.crash(other.transport);
      await until(one, () => one.closes.length === 1);
      expect(one.closes[0]?.reason).toBe('lost');
      await other[Symbol.asyncDispose]();
      const again = await node({ identity: key, start: 2 });
      await network.connect(again.transport, one.transport);
      await until(one, () => one.isLinkedTo(again) && linkOf(one, again).peerStart === 2);
    });

    test('a cut cable is noticed by pings on both sides, and healed it links again', async () => {
      const [one, other] = await linked({ limits: IMPATIENT });
      network.cut(one.transport, other.transport);
      await until(one, () => one.closes.length > 0 && other.closes.length > 0);
      expect(one.closes[0]?.reason).toBe('silent');
      expect(other.closes[0]?.reason).toBe('silent');
      network.heal(one.transport, other.transport);
      await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
    });

    test('two nodes that dial each other keep one link, the one that the smaller id dialled', async () => {
      const [smaller, greater] = await pair();
      await network.connect(greater.transport, smaller.transport);
      await until(smaller, () => smaller.isLinkedTo(greater) && greater.isLinkedTo(smaller));
      await network.connect(smaller.transport, greater.transport);
      await until(
        smaller,
        () => smaller.links.length + greater.links.length > 0 && oneLink(smaller, greater),
      );
      linkOf(smaller, greater).send(numbered(1));
      linkOf(greater, smaller).send(numbered(2));
      await until(smaller, () => smaller.frames.length === 1 && greater.frames.length === 1);
      expect(network.openCount()).toBeLessThanOrEqual(2);
    });

    test('a dozen nodes that all dial each other at once end with one working link a pair', async () => {
      const all: SeenNode[] = [];
      for (let count = 0; count < 12; count += 1) all.push(await node());
      // A link that gives way to another may take a frame with it: each link that comes up carries one.
      for (const [index, { transport }] of all.entries())
        transport.onLink(link => link.send(numbered(index)));
      await Promise.all(
        all.flatMap(one =>
          all.filter(other => other !== one).map(other => network.connect(one.transport, other.transport)),
        ),
      );
      const [first] = all;
      if (first === undefined) throw new Error('there are a dozen');
      const isWhole = (): boolean => all.every(one => one.transport.links.size === 11);
      const hasReceivedAll = (one: SeenNode): boolean => new Set(one.frames.map(numberOf)).size === 11;
      await until(first, () => isWhole() && all.every(hasReceivedAll));
    });

    test('a node that dials its own address stays alone and does not try again', async () => {
      const one = await node();
      await network.connect(one.transport, one.transport);
      await until(one, () => one.refusals.some(({ reason }) => reason === 'self'));
      expect(one.transport.links.size).toBe(0);
      expect(one.conflicts).toEqual([]);
    });

    test('a restart whose former link still seems to be there replaces it', async () => {
      const key = generateNodeKey();
      const one = await node();
      const before = await node({ identity: key, start: 1 });
      await network.connect(before.transport, one.transport);
      await until(one, () => one.isLinkedTo(before));
      network.cut(before.transport, one.transport);
      const after = await node({ identity: key, start: 2 });
      await network.connect(after.transport, one.transport);
      await until(one, () => one.isLinkedTo(after) && linkOf(one, after).peerStart === 2);
      expect(one.closes[0]?.reason).toBe('replaced');
      expect(one.conflicts).toEqual([]);
    });

    test('a copied home that runs twice is refused the second time and reported on both sides', async () => {
      const key = generateNodeKey();
      const one = await node();
      const original = await node({ identity: key });
      await network.connect(original.transport, one.transport);
      await until(one, () => one.isLinkedTo(original));
      const copy = await node({ identity: key });
      await network.connect(copy.transport, one.transport);
      await until(one, () => one.conflicts.length > 0 && copy.conflicts.length > 0);
      expect(one.conflicts[0]).toMatchObject({ nodeId: key.nodeId, isOwn: false });
      expect(copy.conflicts[0]).toMatchObject({ nodeId: key.nodeId, isOwn: true });
      expect(linkOf(one, original).isOpen).toBe(true);
      expect(copy.transport.links.size).toBe(0);
      expect(copy.refusals.some(({ reason }) => reason === 'identity-in-use')).toBe(true);
    });

    test('twins that meet each other both report that their identity is used twice', async () => {
      const key = generateNodeKey();
      const [one, twin] = [await node({ identity: key }), await node({ identity: key })];
      await network.connect(one.transport, twin.transport);
      await until(one, () => one.conflicts.length > 0 && twin.conflicts.length > 0);
      expect([one.conflicts[0]?.isOwn, twin.conflicts[0]?.isOwn]).toEqual([true, true]);
      expect(one.transport.links.size + twin.transport.links.size).toBe(0);
    });

    test('a node that dials before the other one accepts waits, and is linked when it does', async () => {
      const waiting = seenNode(
        network.transport({ identity: generateNodeKey(), start: 1, limits: QUICK }),
        () => network.pass(),
      );
      nodes.push(waiting);
      await waiting.transport.listen();
      const one = await node({ limits: { dialTimeoutMs: 200 } });
      await network.connect(one.transport, waiting.transport);
      await until(one, () => one.links.length > 0 || one.refusals.length > 0);
      expect(one.links, 'nobody would hear it').toEqual([]);
      const again = await node();
      await network.connect(again.transport, waiting.transport);
      await waiting.start();
      await until(again, () => again.isLinkedTo(waiting) && waiting.isLinkedTo(again));
      await until(one, () => one.isLinkedTo(waiting) && waiting.isLinkedTo(one));
    });

    test('an address where nobody is is tried until somebody is there', async () => {
      const [one, other] = await pair();
      await network.connect(one.transport, other.transport);
      await until(one, () => one.isLinkedTo(other));
      network.crash(other.transport);
      await until(one, () =>
        one.refusals.some(({ reason }) => reason === 'unreachable' || reason === 'lost'),
      );
      expect(one.transport.refusalCounts.size).toBeGreaterThan(0);
    });

    test('stopping sends its last message and leaves nothing open', async () => {
      const [one, other] = await linked();
      await one[Symbol.asyncDispose]();
      expect(one.closes).toMatchObject([{ reason: 'stopped', by: 'self' }]);
      await until(other, () => other.closes.length === 1);
      expect(other.closes).toMatchObject([{ reason: 'stopped', by: 'peer' }]);
      await other[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      expect(network.openCount()).toBe(0);
    });

    test('an aborted signal stops a transport as well, also before it has started', async () => {
      const [one, other] = await linked();
      one.stop.abort();
      await until(other, () => other.closes.length === 1);
      expect(one.transport.links.size).toBe(0);
      const transport = network.transport({ identity: generateNodeKey(), start: 1, limits: {} });
      await expect(transport.start(AbortSignal.abort(new Error('not now')))).rejects.toThrow('not now');
      await transport[Symbol.asyncDispose]();
    });
  });
};

const oneLink = (smaller: SeenNode, greater: SeenNode): boolean => {
  const near = smaller.transport.links.get(greater.transport.localId);
  const far = greater.transport.links.get(smaller.transport.localId);
  return near?.isInitiator === true && far?.isInitiator === false;
};

const numbered = (number: number): Uint8Array => {
  const frame = new Uint8Array(300);
  new DataView(frame.buffer).setUint32(0, number);
  return frame;
};

const numberOf = (frame: Uint8Array): number => new DataView(frame.buffer, frame.byteOffset).getUint32(0);

const NOTHING = new Uint8Array(0);
const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Tries again soon; the rest as it ships. */
const QUICK: Partial<MeshLimits> = { backoffMsMin: 20, backoffMsMax: 100, acceptBurst: 1_000 };
/** For rules about silence where the clock is the machine's. */
const IMPATIENT: Partial<MeshLimits> = {
  pingIntervalMs: 100,
  deadAfterMs: 400,
  dialTimeoutMs: 500,
  handshakeMs: 1_000,
};
