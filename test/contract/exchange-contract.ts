// What replication and requests guarantee over any transport: links between pairs in memory or over TLS, or a
// fleet's server. Run on each by its own test file, in real time.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import type { Requests } from '../../src/mesh/requests.ts';
import { copyOfDisk } from '../support/copy-of-disk.ts';
import type { MeshNode } from '../support/mesh-node.ts';

export interface ExchangeNodeOptions {
  readonly key: NodeKey;
  readonly disk: MemoryDisk;
  /** Of its daemon: greater after each restart. */
  readonly start: number;
}

/** A node whose events and requests travel. */
export interface ExchangeNode {
  readonly node: MeshNode;
  readonly requests: Requests;
  /** Ends as a process that is stopped. */
  stop(): Promise<void>;
}

/** Where nodes meet: all that are started meet all others. */
export interface ExchangeNetwork extends AsyncDisposable {
  start(options: ExchangeNodeOptions): Promise<ExchangeNode>;
  /** Nothing passes between this node and the others, and no node is notified. */
  cut(one: ExchangeNode): void;
  heal(one: ExchangeNode): void;
}

/** `reason`: why it cannot run here. */
export const describeExchange = (
  name: string,
  createNetwork: () => Promise<ExchangeNetwork>,
  reason?: string,
): void => {
  describe(`events and requests over ${name}`, () => {
    let network: ExchangeNetwork | undefined;
    let running: ExchangeNode[];

    beforeEach(async context => {
      running = [];
      if (reason !== undefined) context.skip(reason);
      network = await createNetwork();
    });

    afterEach(async () => {
      for (const one of running) await one.stop();
      await network?.[Symbol.asyncDispose]();
      network = undefined;
    });

    const start = async (options: Partial<ExchangeNodeOptions> = {}): Promise<ExchangeNode> => {
      const { key = generateNodeKey(), disk = createMemoryDisk(), start: number = 1 } = options;
      if (network === undefined) throw new Error('there is no place');
      const one = await network.start({ key, disk, start: number });
      running.push(one);
      return one;
    };

    const stop = async (one: ExchangeNode): Promise<void> => {
      running = running.filter(other => other !== one);
      await one.stop();
    };

    test('what each node records reaches every other one, once and in order', async () => {
      const all = [await start(), await start(), await start()];
      for (const name of ['a', 'b', 'c']) for (const { node } of all) node.open(name);
      await changes(all, () =>
        all.every(({ node }) => all.every(other => node.connectionsOf(other.node.id).length === 3)),
      );
      for (const { node } of all)
        for (const other of all) {
          const seqs = node.seen.filter(({ origin }) => origin === other.node.id).map(({ seq }) => seq);
          expect(seqs).toEqual([1, 2, 3]);
        }
      expect(new Set(all.map(({ node }) => node.hash)).size).toBe(1);
    });

    test('a node that comes later learns what the others recorded before', async () => {
      const first = await start();
      for (const name of ['a', 'b', 'c']) first.node.open(name);
      first.node.close('b');
      const later = await start();
      await changes([later], () => later.node.connectionsOf(first.node.id).length === 2);
      expect(later.node.hash).toBe(first.node.hash);
    });

    test('what a node recorded is still known to one that comes after it left', async () => {
      const gone = await start();
      const stays = await start();
      gone.node.open('a');
      await changes([stays], () => stays.node.connectionsOf(gone.node.id).length === 1);
      await stop(gone);
      const later = await start();
      await changes([later], () => later.node.connectionsOf(gone.node.id).length === 1);
    });

    test('the newest reading of a node arrives, with its age', async () => {
      const [one, other] = [await start(), await start()];
      for (let count = 1; count <= 20; count += 1) one.node.reportMemory(count);
      await changes([other], () => other.node.memoryOf(one.node.id)?.availableBytes === 20);
      expect(other.node.memoryOf(one.node.id)?.ageMs).toBeLessThan(2_000);
    });

    test('a node that comes later gets the last reading of those that are there', async () => {
      const one = await start();
      one.node.reportMemory(7);
      const later = await start();
      await changes([later], () => later.node.memoryOf(one.node.id)?.availableBytes === 7);
    });

    test('what is recorded on both sides of a cut arrives when it is healed', async () => {
      const all = [await start(), await start(), await start()] as const;
      const [one, other, third] = all;
      for (const { node } of all) node.open('before');
      await changes(all, () =>
        all.every(({ node }) => all.every(x => node.connectionsOf(x.node.id).length === 1)),
      );
      network?.cut(one);
      one.node.open('alone');
      other.node.open('together');
      await changes([third], () => third.node.connectionsOf(other.node.id).length === 2);
      expect(third.node.connectionsOf(one.node.id)).toEqual(['socket before']);
      network?.heal(one);
      await changes(all, () => new Set(all.map(({ node }) => node.hash)).size === 1);
      expect(third.node.connectionsOf(one.node.id)).toEqual(['socket alone', 'socket before']);
    });

    test('a node that restarts goes on where it was, and catches up', async () => {
      const [key, disk] = [generateNodeKey(), createMemoryDisk()];
      const other = await start();
      const one = await start({ key, disk });
      one.node.open('a');
      await changes([other], () => other.node.connectionsOf(key.nodeId).length === 1);
      await stop(one);
      other.node.open('meanwhile');
      const again = await start({ key, disk, start: 2 });
      again.node.open('b');
      await changes([other, again], () => other.node.hash === again.node.hash);
      expect(other.node.connectionsOf(key.nodeId)).toEqual(['socket a', 'socket b']);
      expect(again.node.connectionsOf(other.node.id)).toEqual(['socket meanwhile']);
      const seqs = other.node.seen.filter(({ origin }) => origin === key.nodeId).map(({ seq }) => seq);
      expect(seqs).toEqual([1, 2]);
    });

    test('a journal restored from a copy begins a new epoch, and nothing is lost', async () => {
      const [key, disk] = [generateNodeKey(), createMemoryDisk()];
      const other = await start();
      const one = await start({ key, disk });
      one.node.open('a');
      const copy = copyOfDisk(disk);
      one.node.open('b');
      await changes([other], () => other.node.connectionsOf(key.nodeId).length === 2);
      const before = one.node.epoch;
      await stop(one);
      const restored = await start({ key, disk: copy, start: 2 });
      await changes([restored], () => restored.node.epoch > before);
      await changes([other, restored], () => other.node.hash === restored.node.hash);
    });

    test('a request is answered by the node it is for, which has the id of the requesting node', async () => {
      const [one, other] = [await start(), await start()];
      other.requests.serve('name', ({ from, body }) => ({ kind: 'answer', body: { from, body } }));
      await changes([one, other], () => true);
      const answer = await requested(one, other);
      expect(answer).toEqual({ kind: 'answer', body: { from: one.node.id, body: 'who?' } });
    });

    test('a request that nobody serves is refused in words', async () => {
      const [one, other] = [await start(), await start()];
      expect(await requested(one, other)).toEqual({
        kind: 'refused',
        reason: 'this version does not know the request',
      });
    });

    test('a request to a node that is not there fails at once', async () => {
      const one = await start();
      const outcome = await one.requests.request(generateNodeKey().nodeId, 'name', 'who?', {
        timeoutMs: 20_000,
        signal: new AbortController().signal,
      });
      expect(outcome.kind).toBe('unreachable');
    });
  });
};

const requested = (one: ExchangeNode, other: ExchangeNode) =>
  one.requests.request(other.node.id, 'name', 'who?', {
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });

/** Waits until the check holds, looking again after each change to one of their states. */
export const changes = async (nodes: readonly ExchangeNode[], check: () => boolean): Promise<void> => {
  if (check()) return;
  const satisfied = Promise.withResolvers<void>();
  const ends = nodes.map(({ node }) =>
    node.cluster.subscribe(() => {
      if (check()) satisfied.resolve();
    }),
  );
  try {
    if (!check()) await satisfied.promise;
  } finally {
    for (const end of ends) end();
  }
};
