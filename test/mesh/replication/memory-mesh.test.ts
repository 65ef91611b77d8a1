// Replication over the in-memory transport, with its dialling, pings and cables that are cut without a word.

import { describe, expect, it } from 'vitest';
import { presence } from '../../../src/core/node/presence-view.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../../src/journal/memory-journal.ts';
import { MemoryNetwork } from '../../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../../src/mesh/mesh.ts';
import { MeshNode } from '../../support/mesh-node.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('replication over the in-memory mesh', () => {
  it('heals a silent partition of five in which both sides wrote, and loses nothing', async () => {
    await using mesh = await fullMesh(5);
    for (const { node } of mesh.hosts) node.open('first');
    await mesh.clock.advance(2_000);
    mesh.cut([0, 1], [2, 3, 4]);
    for (const { node } of mesh.hosts) node.open('at once after the cut');
    await mesh.clock.advance(20_000);
    for (const { node } of mesh.hosts) {
      node.open('apart');
      node.close('first');
    }
    await mesh.clock.advance(20_000);
    expect(new Set(mesh.hosts.map(({ node }) => node.hash)).size).toBe(2);
    const [first, , third] = mesh.hosts;
    const at = mesh.clock.nowMs();
    expect(presence(first?.node.state ?? never(), third?.node.id ?? never(), at)).toBe('offline');
    mesh.heal([0, 1], [2, 3, 4]);
    await mesh.clock.advance(40_000);
    for (const { node } of mesh.hosts) {
      expect(node.hash).toBe(first?.node.hash);
      for (const other of mesh.hosts)
        expect(node.connectionsOf(other.node.id)).toEqual(['socket apart', 'socket at once after the cut']);
    }
  });

  it('shows a node again that was killed and restarted, as the same node', async () => {
    await using mesh = await fullMesh(3);
    const host = mesh.hosts[1] ?? never();
    host.node.open('kept');
    host.node.reportMemory(1);
    await mesh.clock.advance(3_000);
    await mesh.crash(1);
    await mesh.clock.advance(35_000);
    const other = mesh.hosts[0] ?? never();
    expect(presence(other.node.state, host.key.nodeId, mesh.clock.nowMs())).toBe('offline');
    const again = await mesh.start(1);
    again.node.reportMemory(2);
    await mesh.clock.advance(20_000);
    again.node.reportMemory(3);
    await mesh.clock.advance(3_000);
    expect(presence(other.node.state, host.key.nodeId, mesh.clock.nowMs())).toBe('live');
    expect(other.node.memoryOf(host.key.nodeId)?.availableBytes).toBe(3);
    for (const { node } of mesh.hosts) {
      expect(node.connectionsOf(host.key.nodeId)).toEqual(['socket kept']);
      expect(node.hash).toBe(other.node.hash);
    }
  });
});

describe('twelve nodes that start together', () => {
  it('are fully meshed within ten seconds, though each answers late and dials some that are not there yet', async () => {
    await using mesh = new MemoryMesh();
    const names = Array.from({ length: 12 }, (_, index) => `host-${index}`);
    const random = seededRandom(12);
    for (const [index] of names.entries()) {
      const host = await mesh.open(index);
      for (const address of names.filter((_, other) => other !== index))
        host.transport.addCandidate({ address, port: 4_181, source: 'static' });
    }
    const steps = mesh.hosts.flatMap(host => {
      const listenAtMs = Math.floor(4_000 * random.next());
      return [
        { atMs: listenAtMs, act: () => host.transport.listen() },
        { atMs: listenAtMs + 1_000, act: () => host.transport.start(mesh.signal) },
      ];
    });
    for (const { atMs, act } of steps.sort((a, b) => a.atMs - b.atMs)) {
      await mesh.clock.advance(atMs - mesh.clock.nowMs());
      await act();
    }
    for (const { node } of mesh.hosts) node.open('first');
    await mesh.clock.advance(10_000 - mesh.clock.nowMs());
    for (const { transport, node } of mesh.hosts) {
      expect(transport.links.size).toBe(11);
      expect(node.hash).toBe(mesh.hosts[0]?.node.hash);
      expect(node.replicator.counts.malformedFrames).toBe(0);
    }
  });
});

interface Host {
  readonly key: NodeKey;
  readonly disk: MemoryDisk;
  readonly transport: MeshTransport;
  readonly node: MeshNode;
}

class MemoryMesh implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly hosts: Host[] = [];
  readonly #network = new MemoryNetwork(this.clock);
  readonly #abort = new AbortController();
  #starts = 0;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Not started: nobody can reach it, and it reaches nobody. */
  async open(index: number): Promise<Host> {
    const { key, disk } = this.hosts[index] ?? { key: generateNodeKey(), disk: createMemoryDisk() };
    this.#starts += 1;
    const transport = this.#network.transport({
      name: `host-${index}`,
      identity: key,
      start: this.#starts,
    });
    const node = new MeshNode({ clock: this.clock, key, disk, mesh: transport });
    const host = { key, disk, transport, node };
    this.hosts[index] = host;
    return host;
  }

  async start(index: number): Promise<Host> {
    const host = await this.open(index);
    const { transport } = host;
    await transport.start(this.#abort.signal);
    for (const other of this.hosts) if (other !== host) this.#network.connect(transport, other.transport);
    return host;
  }

  async crash(index: number): Promise<void> {
    const { transport, node } = this.hosts[index] ?? never();
    this.#network.crash(transport);
    await node.stop();
    await transport[Symbol.asyncDispose]();
  }

  cut(one: readonly number[], other: readonly number[]): void {
    this.#each(one, other, (a, b) => this.#network.cut(a, b));
  }

  heal(one: readonly number[], other: readonly number[]): void {
    this.#each(one, other, (a, b) => this.#network.heal(a, b));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    for (const { node, transport } of this.hosts) {
      await node.stop();
      await transport[Symbol.asyncDispose]();
    }
  }

  #each(
    one: readonly number[],
    other: readonly number[],
    act: (a: MeshTransport, b: MeshTransport) => void,
  ): void {
    for (const a of one)
      for (const b of other) act((this.hosts[a] ?? never()).transport, (this.hosts[b] ?? never()).transport);
  }
}

const fullMesh = async (count: number): Promise<MemoryMesh> => {
  const mesh = new MemoryMesh();
  for (let index = 0; index < count; index += 1) await mesh.start(index);
  await mesh.clock.advance(1_000);
  return mesh;
};

const never = (): never => {
  throw new Error('there is no such node');
};
