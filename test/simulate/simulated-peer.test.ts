import { expect, test } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { generateNodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk } from '../../src/journal/memory-journal.ts';
import { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { SimulatedPeer } from '../../src/simulate/simulated-peer.ts';
import { MeshNode, memoryFact, openedConnection } from '../support/mesh-node.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

test('a real node receives what simulated ones reported before and after they met', async () => {
  await using world = await worldOf(2);
  const [one, other] = world.peers;
  one?.peer.report([now(openedConnection(world.real.id, 'early')), { fact: memoryFact(1), ageMs: 4_000 }]);
  await world.meet();
  other?.peer.report([now(openedConnection(world.real.id, 'late')), now(memoryFact(2))]);
  await world.clock.advance(100);
  const sinks = (node: NodeId): readonly string[] =>
    Object.keys(world.real.state.connections[node]?.[world.real.id] ?? {});
  expect(world.peers.map(({ id }) => sinks(id))).toEqual([['socket early'], ['socket late']]);
  expect(world.peers.map(({ id }) => world.real.memoryOf(id)?.availableBytes)).toEqual([1, 2]);
  expect(world.real.memoryOf(world.peers[0]?.id ?? world.real.id)?.ageMs).toBeGreaterThanOrEqual(4_000);
});

test('nothing is passed on from one simulated node to another', async () => {
  await using world = await worldOf(12);
  await world.meet();
  const sentBefore = world.framesSent();
  for (let second = 0; second < 20; second += 1) {
    for (const { peer } of world.peers) peer.report([now(memoryFact(second))]);
    await world.clock.advance(1_000);
  }
  // Pings and digests only: with everything passed on it would be 12 frames a second to each.
  expect(world.framesSent() - sentBefore).toBeLessThan(12 * 20);
  expect(world.peers.map(({ id }) => world.real.memoryOf(id)?.availableBytes)).toEqual(
    world.peers.map(() => 19),
  );
});

test('after its cable was cut and healed the real node has what it missed', async () => {
  await using world = await worldOf(1);
  await world.meet();
  const [peer] = world.peers;
  if (peer === undefined) throw new Error('no peer');
  world.network.cut(world.transport, peer.transport);
  peer.peer.report([now(openedConnection(world.real.id, 'unheard')), now(memoryFact(7))]);
  await world.clock.advance(20_000);
  expect(peer.transport.links.size).toBe(0);
  world.network.heal(world.transport, peer.transport);
  await world.clock.advance(30_000);
  expect(Object.keys(world.real.state.connections[peer.id]?.[world.real.id] ?? {})).toEqual([
    'socket unheard',
  ]);
  expect(world.real.memoryOf(peer.id)?.availableBytes).toBe(7);
});

const now = (fact: Fact): { readonly fact: Fact; readonly ageMs: number } => ({ fact, ageMs: 0 });

interface SimulatedEnd {
  readonly id: NodeId;
  readonly peer: SimulatedPeer;
  readonly transport: MeshTransport;
}

/** One real node and some simulated ones on a network in memory. */
const worldOf = async (count: number) => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const network = new MemoryNetwork(clock);
  const key = generateNodeKey();
  const transport = network.transport({ name: 'real', identity: key, start: 1 });
  await transport.start(stop.signal);
  const real = new MeshNode({ clock, key, disk: createMemoryDisk(), mesh: transport });
  const keys = seededNodeKeys(3, count);
  const fleet = keys.map(({ nodeId }) => nodeId);
  const peers: SimulatedEnd[] = [];
  for (const identity of keys) {
    const own = network.transport({ name: identity.nodeId, identity, start: 1 });
    const peer = new SimulatedPeer({
      identity,
      transport: own,
      clock,
      epoch: 1,
      start: 1,
      fleet,
      plimsollVersion: '0.0.0-test',
    });
    await own.start(stop.signal);
    peers.push({ id: identity.nodeId, peer, transport: own });
  }
  let frames = 0;
  return {
    clock,
    network,
    real,
    transport,
    peers,
    framesSent: () => frames,
    meet: async (): Promise<void> => {
      for (const { transport: own } of peers) {
        own.onLink(link =>
          link.onFrame(() => {
            frames += 1;
          }),
        );
        network.connect(own, transport);
      }
      await clock.advance(3_000);
      expect(transport.links.size).toBe(count);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await real.stop();
      stop.abort();
      for (const { transport: own } of peers) await own[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
};
