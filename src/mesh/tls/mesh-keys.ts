// The cluster keys that a transport accepts, the current one first, with the secrets derived from each. With
// two at once a cluster can change its key node by node.

import { type ClusterKey, deriveSecret } from '../key/cluster-key.ts';
import { MeshError } from '../mesh.ts';

export interface MeshKey {
  readonly id: string;
  readonly psk: Uint8Array;
  readonly proof: Uint8Array;
}

export class MeshKeys {
  #keys: ReadonlyMap<string, MeshKey>;

  /** @throws MeshError `bad-key` when there is none, or more than two. */
  constructor(keys: readonly ClusterKey[]) {
    this.#keys = derived(keys);
  }

  /** @throws MeshError like the constructor; the previous keys stay. */
  set(keys: readonly ClusterKey[]): void {
    this.#keys = derived(keys);
  }

  get(id: string): MeshKey | undefined {
    return this.#keys.get(id);
  }

  /** In the order in which a dial tries them. */
  all(): readonly MeshKey[] {
    return [...this.#keys.values()];
  }
}

const derived = (keys: readonly ClusterKey[]): ReadonlyMap<string, MeshKey> => {
  if (keys.length === 0 || keys.length > KEYS_MAX)
    throw new MeshError({
      code: 'bad-key',
      problem: `a mesh needs one cluster key, or two while they change; there are ${keys.length}`,
      advice: '',
    });
  return new Map(
    keys.map(key => [
      key.id,
      { id: key.id, psk: deriveSecret(key, 'psk'), proof: deriveSecret(key, 'proof') },
    ]),
  );
};

const KEYS_MAX = 2;
