// Which nodes are neighbours, as far as reported. This node's list is sent as a numbered change against the
// previous one; a peer that missed a number requests the whole list.

import type { NodeId } from '../../core/ids.ts';
import { MESH_LIST_LENGTH_MAX } from '../../wire/version-vector.ts';

interface NeighbourChange {
  readonly version: number;
  /** -1: `added` is the whole list. */
  readonly base: number;
  readonly added: readonly NodeId[];
  readonly removed: readonly NodeId[];
}

export class OwnNeighbours {
  #version = 0;
  #reported: ReadonlySet<NodeId> = new Set();

  get version(): number {
    return this.#version;
  }

  get reported(): ReadonlySet<NodeId> {
    return this.#reported;
  }

  whole(): NeighbourChange {
    return { version: this.#version, base: -1, added: [...this.#reported], removed: [] };
  }

  /** Undefined if it is the list that was sent last. */
  change(current: ReadonlySet<NodeId>): NeighbourChange | undefined {
    const added = [...current].filter(node => !this.#reported.has(node));
    const removed = [...this.#reported].filter(node => !current.has(node));
    if (added.length === 0 && removed.length === 0) return undefined;
    const base = this.#version;
    this.#version += 1;
    this.#reported = new Set(current);
    return { version: this.#version, base, added, removed };
  }
}

export class PeerNeighbours {
  #version = -1;
  #nodes: Set<NodeId> | undefined;

  get version(): number {
    return this.#version;
  }

  get nodes(): ReadonlySet<NodeId> | undefined {
    return this.#nodes;
  }

  /** False if the change is against a list that is not stored: request the whole one. */
  take({ version, base, added, removed }: NeighbourChange): boolean {
    if (version <= this.#version) return true;
    if (base === -1) this.#nodes = new Set(added);
    else if (base === this.#version && this.#nodes !== undefined) {
      for (const node of added) if (this.#nodes.size < MESH_LIST_LENGTH_MAX) this.#nodes.add(node);
      for (const node of removed) this.#nodes.delete(node);
    } else return false;
    this.#version = version;
    return true;
  }
}
