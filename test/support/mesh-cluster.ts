// Many nodes in one process on wires that the test lays, on one virtual clock.

import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import type { ReplicationLimits } from '../../src/mesh/replication/limits.ts';
import { copyOfDisk } from './copy-of-disk.ts';
import { MeshNode } from './mesh-node.ts';
import { type Disturb, WiredLink, WiredMesh, type WiredNode } from './mesh-wires.ts';
import { VirtualClock } from './virtual-clock.ts';

export type Shape = 'line' | 'ring' | 'star' | 'full';

interface Place {
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
  readonly #places: Place[] = [];
  readonly #options: MeshClusterOptions;

  constructor(count: number, options: MeshClusterOptions = {}) {
    this.#options = options;
    for (let index = 0; index < count; index += 1) {
      const key = generateNodeKey();
      this.#places.push({ key, disk: createMemoryDisk(), mesh: new WiredMesh(key.nodeId), node: undefined });
    }
    this.#places.sort((a, b) => (a.key.nodeId < b.key.nodeId ? -1 : 1));
    for (const index of this.#places.keys()) this.start(index);
  }

  /** Ascending by id. */
  get nodes(): readonly MeshNode[] {
    return this.#places.flatMap(({ node }) => (node === undefined ? [] : [node]));
  }

  node(index: number): MeshNode {
    const node = this.#places[index]?.node;
    if (node === undefined) throw new Error(`node ${index} does not run`);
    return node;
  }

  isRunning(index: number): boolean {
    return this.#places[index]?.node !== undefined;
  }

  start(index: number): MeshNode {
    const place = this.#place(index);
    place.mesh = new WiredMesh(place.key.nodeId);
    const { key, disk, mesh } = place;
    const { limits } = this.#options;
    place.node = new MeshNode({
      clock: this.clock,
      key,
      disk,
      mesh,
      ...(limits === undefined ? {} : { limits }),
    });
    return place.node;
  }

  /** Its links break; what is on its disk stays. */
  async kill(index: number): Promise<void> {
    const { mesh, node } = this.#place(index);
    for (const link of [...mesh.links.values()]) link.close('lost');
    this.#place(index).node = undefined;
    await node?.stop();
  }

  publicKeyOf(index: number): Uint8Array {
    return this.#place(index).key.publicKey;
  }

  copyDisk(index: number): MemoryDisk {
    return copyOfDisk(this.#place(index).disk);
  }

  putDisk(index: number, disk: MemoryDisk): void {
    this.#place(index).disk = disk;
  }

  link(a: number, b: number): readonly [WiredLink, WiredLink] {
    const [placeA, placeB] = [this.#place(a), this.#place(b)];
    const pair = WiredLink.pair(wired(placeA), wired(placeB));
    for (const end of pair) end.disturb = this.#options.disturb ?? end.disturb;
    placeA.mesh.meet(pair[0]);
    placeB.mesh.meet(pair[1]);
    return pair;
  }

  /** With somebody who is no node of this cluster, and dials; the end that is theirs. */
  linkFrom(stranger: WiredNode, index: number): WiredLink {
    const place = this.#place(index);
    const [far, near] = WiredLink.pair(stranger, wired(place));
    place.mesh.meet(near);
    return far;
  }

  isLinked(a: number, b: number): boolean {
    return this.#place(a).mesh.links.has(this.#place(b).key.nodeId);
  }

  /** The end of `a`. */
  end(a: number, b: number): WiredLink {
    const link = this.#place(a).mesh.links.get(this.#place(b).key.nodeId);
    if (link === undefined) throw new Error(`no link from ${a} to ${b}`);
    return link;
  }

  cut(a: number, b: number): void {
    if (this.isLinked(a, b)) this.end(a, b).close('lost');
  }

  lay(shape: Shape): void {
    for (const [a, b] of pairsOf(shape, this.#places.length)) this.link(a, b);
  }

  /** Frames that left all nodes so far. */
  get sentFrames(): number {
    let sum = 0;
    for (const { mesh } of this.#places) for (const link of mesh.links.values()) sum += link.sentFrames;
    return sum;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const index of this.#places.keys()) if (this.isRunning(index)) await this.kill(index);
  }

  #place(index: number): Place {
    const place = this.#places[index];
    if (place === undefined) throw new Error(`there is no node ${index}`);
    return place;
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

const wired = ({ key }: Place): { localId: NodeKey['nodeId']; publicKey: Uint8Array } => ({
  localId: key.nodeId,
  publicKey: key.publicKey,
});
