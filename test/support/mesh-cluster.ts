// Many nodes in one process on wires that the test lays, on one virtual clock.

import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import type { ReplicationLimits } from '../../src/mesh/replication/limits.ts';
import { copyOfDisk } from './copy-of-disk.ts';
import { MeshNode } from './mesh-node.ts';
import { type Disturb, WiredLink, WiredMesh, type WiredNode } from './mesh-wires.ts';
import { VirtualClock } from './virtual-clock.ts';

export type Shape = 'line' | 'ring' | 'star' | 'full';

interface ClusterNode {
  readonly key: NodeKey;
  disk: MemoryDisk;
  mesh: WiredMesh;
  node: MeshNode | undefined;
}

interface MeshClusterOptions {
  readonly limits?: ReplicationLimits;
  readonly disturb?: Disturb;
}

export class MeshCluster implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly #nodes: ClusterNode[] = [];
  readonly #options: MeshClusterOptions;

  constructor(count: number, options: MeshClusterOptions = {}) {
    this.#options = options;
    for (let index = 0; index < count; index += 1) {
      const key = generateNodeKey();
      this.#nodes.push({ key, disk: createMemoryDisk(), mesh: new WiredMesh(key.nodeId), node: undefined });
    }
    this.#nodes.sort((a, b) => (a.key.nodeId < b.key.nodeId ? -1 : 1));
    for (const index of this.#nodes.keys()) this.start(index);
  }

  /** Ascending by id. */
  get nodes(): readonly MeshNode[] {
    return this.#nodes.flatMap(({ node }) => (node === undefined ? [] : [node]));
  }

  node(index: number): MeshNode {
    const node = this.#nodes[index]?.node;
    if (node === undefined) throw new Error(`node ${index} does not run`);
    return node;
  }

  isRunning(index: number): boolean {
    return this.#nodes[index]?.node !== undefined;
  }

  start(index: number): MeshNode {
    const node = this.#nodeAt(index);
    node.mesh = new WiredMesh(node.key.nodeId);
    const { key, disk, mesh } = node;
    const { limits } = this.#options;
    node.node = new MeshNode({
      clock: this.clock,
      key,
      disk,
      mesh,
      ...(limits === undefined ? {} : { limits }),
    });
    return node.node;
  }

  /** Its links break; what is on its disk stays. */
  async kill(index: number): Promise<void> {
    const { mesh, node } = this.#nodeAt(index);
    for (const link of [...mesh.links.values()]) link.close('lost');
    this.#nodeAt(index).node = undefined;
    await node?.stop();
  }

  publicKeyOf(index: number): Uint8Array {
    return this.#nodeAt(index).key.publicKey;
  }

  copyDisk(index: number): MemoryDisk {
    return copyOfDisk(this.#nodeAt(index).disk);
  }

  putDisk(index: number, disk: MemoryDisk): void {
    this.#nodeAt(index).disk = disk;
  }

  link(a: number, b: number): readonly [WiredLink, WiredLink] {
    const [nodeA, nodeB] = [this.#nodeAt(a), this.#nodeAt(b)];
    const pair = WiredLink.pair(wired(nodeA), wired(nodeB));
    for (const end of pair) end.disturb = this.#options.disturb ?? end.disturb;
    nodeA.mesh.meet(pair[0]);
    nodeB.mesh.meet(pair[1]);
    return pair;
  }

  /** With somebody who is no node of this cluster, and dials; the end that is theirs. */
  linkFrom(stranger: WiredNode, index: number): WiredLink {
    const node = this.#nodeAt(index);
    const [far, near] = WiredLink.pair(stranger, wired(node));
    node.mesh.meet(near);
    return far;
  }

  isLinked(a: number, b: number): boolean {
    return this.#nodeAt(a).mesh.links.has(this.#nodeAt(b).key.nodeId);
  }

  /** The end of `a`. */
  end(a: number, b: number): WiredLink {
    const link = this.#nodeAt(a).mesh.links.get(this.#nodeAt(b).key.nodeId);
    if (link === undefined) throw new Error(`no link from ${a} to ${b}`);
    return link;
  }

  cut(a: number, b: number): void {
    if (this.isLinked(a, b)) this.end(a, b).close('lost');
  }

  lay(shape: Shape): void {
    for (const [a, b] of pairsOf(shape, this.#nodes.length)) this.link(a, b);
  }

  /** Frames that left all nodes so far. */
  get sentFrames(): number {
    let sum = 0;
    for (const { mesh } of this.#nodes) for (const link of mesh.links.values()) sum += link.sentFrames;
    return sum;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const index of this.#nodes.keys()) if (this.isRunning(index)) await this.kill(index);
  }

  #nodeAt(index: number): ClusterNode {
    const node = this.#nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }
}

export const pairsOf = (shape: Shape, count: number): readonly (readonly [number, number])[] => {
  const all = Array.from({ length: count }, (_, index) => index);
  switch (shape) {
    case 'line':
      return all.slice(1).map(index => [index - 1, index]);
    case 'ring':
      return all.map(index => [index, (index + 1) % count]);
    case 'star':
      return all.slice(1).map(index => [0, index]);
    case 'full':
      return all.flatMap(a => all.slice(a + 1).map(b => [a, b] as const));
    default:
      return shape satisfies never;
  }
};

const wired = ({ key }: ClusterNode): { localId: NodeKey['nodeId']; publicKey: Uint8Array } => ({
  localId: key.nodeId,
  publicKey: key.publicKey,
});
