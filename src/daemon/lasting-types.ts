// The last concrete type of each interface of this node. One reading without the port map of a Mac, or without an
// answer of `ip`, does not change what an interface is, so both ends of every link keep its type. An interface is the same
// while its name and its hardware address are. After a restart the entry from the journal continues.

import type { NetworkInterface, NodeNetwork } from '../core/node/network.ts';
import type { Reading } from '../core/node/reading.ts';
import { isKnown, isUnknown } from '../core/unknown.ts';

export class LastingTypes {
  /** By name and hardware address; the latest last. */
  readonly #types = new Map<string, LastType>();

  /** The reading as it should be recorded. `held` is what state holds of this node's network. */
  settled({ value, guessedTypes = [] }: Reading<'network'>, held: NodeNetwork | undefined): NodeNetwork {
    for (const one of held?.interfaces ?? []) {
      const key = keyOf(one);
      if (key !== undefined && !this.#types.has(key)) this.#keep(key, one, true);
    }
    return {
      interfaces: value.interfaces.map(found => this.#settledOne(found, guessedTypes.includes(found.name))),
    };
  }

  #settledOne(found: NetworkInterface, isGuess: boolean): NetworkInterface {
    const key = keyOf(found);
    const last = key === undefined ? undefined : this.#types.get(key);
    if (last === undefined || (isKnown(found.type) && (!isGuess || last.isGuess))) {
      if (key !== undefined) this.#keep(key, found, !isGuess);
      return found;
    }
    const { type, typeEvidence, members } = last;
    return {
      ...found,
      type,
      typeEvidence,
      members: found.members.length === 0 ? members : found.members,
    };
  }

  #keep(key: string, { type, typeEvidence, members }: NetworkInterface, isFirm: boolean): void {
    if (isUnknown(type)) return;
    this.#types.delete(key);
    this.#types.set(key, { type, typeEvidence, members, isGuess: !isFirm });
    const [oldest] = this.#types.keys();
    if (this.#types.size > TYPES_MAX && oldest !== undefined) this.#types.delete(oldest);
  }
}

interface LastType extends Pick<NetworkInterface, 'type' | 'typeEvidence' | 'members'> {
  readonly isGuess: boolean;
}

/** Undefined without a hardware address: another device may get the same name. */
const keyOf = ({ name, macAddress }: NetworkInterface): string | undefined =>
  isKnown(macAddress) ? `${name} ${macAddress}` : undefined;

/** Twice as many as one reading contains. */
const TYPES_MAX = 1_024;
