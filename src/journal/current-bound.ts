// The amount of current records of other nodes here, and whether there is room for more. Current records are
// never compacted away and are read at every start, so they need a separate limit: more than any real machine
// sends, and no more than a start reads in seconds.

import type { NodeId } from '../core/ids.ts';

export interface CurrentSize {
  readonly records: number;
  readonly bytes: number;
}

export const CURRENT_LIMITS = {
  /** Per origin. */
  recordsPerOriginMax: 20_000,
  bytesPerOriginMax: 32_000_000,
  /** Over all other nodes. */
  recordsMax: 98_304,
  bytesMax: 256_000_000,
};

export type CurrentLimits = Readonly<typeof CURRENT_LIMITS>;

export class CurrentBound {
  readonly #limits: CurrentLimits;
  readonly #ownNode: NodeId;
  readonly #sizes = new Map<NodeId, CurrentSize>();
  #records = 0;
  #bytes = 0;

  constructor(ownNode: NodeId, limits: CurrentLimits = CURRENT_LIMITS) {
    this.#ownNode = ownNode;
    this.#limits = limits;
  }

  /** Sets the size of an origin, replacing the previous one. This node has no limit. */
  set(origin: NodeId, size: CurrentSize): void {
    if (origin === this.#ownNode) return;
    const before = this.#sizes.get(origin) ?? NOTHING;
    this.#records += size.records - before.records;
    this.#bytes += size.bytes - before.bytes;
    if (size.records === 0) this.#sizes.delete(origin);
    else this.#sizes.set(origin, size);
  }

  change(origin: NodeId, records: number, bytes: number): void {
    const before = this.#sizes.get(origin) ?? NOTHING;
    this.set(origin, { records: before.records + records, bytes: before.bytes + bytes });
  }

  /** For a record in place of another one, which may be shorter. */
  hasRoomForBytes(origin: NodeId, bytes: number): boolean {
    if (origin === this.#ownNode) return true;
    const stored = (this.#sizes.get(origin) ?? NOTHING).bytes;
    return stored + bytes <= this.#limits.bytesPerOriginMax && this.#bytes + bytes <= this.#limits.bytesMax;
  }

  hasRoomForOneMore(origin: NodeId): boolean {
    if (origin === this.#ownNode) return true;
    const stored = (this.#sizes.get(origin) ?? NOTHING).records;
    return stored < this.#limits.recordsPerOriginMax && this.#records < this.#limits.recordsMax;
  }
}

const NOTHING: CurrentSize = { records: 0, bytes: 0 };
