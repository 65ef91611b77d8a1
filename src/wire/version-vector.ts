// How far the events of each origin are known, as sent between nodes, and the lists of nodes sent with it.

import { isNodeId, type NodeId } from '../core/ids.ts';

/** Origins in a vector, nodes in a neighbour list, requests in one message. */
export const MESH_LIST_LENGTH_MAX = 4_096;

/** How far the durable events of an origin are stored. */
export interface JournalPosition {
  readonly epoch: number;
  /** Everything up to here was stored once; some of it may have been compacted away since. 0 if nothing was. */
  readonly through: number;
}

export interface OriginPosition extends JournalPosition {
  readonly origin: NodeId;
}

/** As sent to a peer. Of live events, the newest of that daemon start is `through`. */
export interface VectorEntry extends OriginPosition {
  /**
   * Durable vectors: the first 48 bits of the signature of record `through`, by which an origin recognises
   * its own records. Live ones: the sum of the newest number of each stored key, which reveals a value that
   * was left out.
   */
  readonly tip?: number;
}

/** Which of two is further. A newer epoch is, regardless of the number; no events is furthest behind. */
export const isAhead = (a: JournalPosition, b: JournalPosition | undefined): boolean =>
  b === undefined || a.epoch > b.epoch || (a.epoch === b.epoch && a.through > b.through);

/** Where records of `epoch` continue for a peer at `position`. */
export const afterIn = (epoch: number, position: JournalPosition | undefined): number =>
  position?.epoch === epoch ? position.through : 0;

/** As sent: [origin, epoch, through] or [origin, epoch, through, tip]. */
export const rowsOf = (entries: readonly VectorEntry[]): unknown =>
  entries.map(({ origin, epoch, through, tip }) =>
    tip === undefined ? [origin, epoch, through] : [origin, epoch, through, tip],
  );

/** Undefined if it is not a vector. */
export const vectorOf = (rows: unknown): readonly VectorEntry[] | undefined => {
  if (!Array.isArray(rows) || rows.length > MESH_LIST_LENGTH_MAX) return undefined;
  const entries: VectorEntry[] = [];
  for (const row of rows) {
    if (!Array.isArray(row)) return undefined;
    const [origin, epoch, through, tip]: readonly unknown[] = row;
    if (!isNodeId(origin) || !isWhole(epoch) || !isWhole(through)) return undefined;
    if (tip === undefined) entries.push({ origin, epoch, through });
    else if (isWhole(tip)) entries.push({ origin, epoch, through, tip });
    else return undefined;
  }
  return entries;
};

export const nodesOf = (nodes: unknown): readonly NodeId[] | undefined =>
  Array.isArray(nodes) && nodes.length <= MESH_LIST_LENGTH_MAX && nodes.every(isNodeId) ? nodes : undefined;

export const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
