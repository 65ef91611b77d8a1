// Runs in state. A node may run thousands of benchmarks; state keeps the newest of each node, the journal and the run
// directories keep the rest.

import { entryOf, put } from '../entries.ts';
import type { EventHead } from '../event.ts';
import type { ByKey, ByNode, Entry } from '../state.ts';

/** Of one node, by the order in which it told them. */
export const RUNS_PER_NODE_MAX = 256;
/** Statuses of probes that are kept of one node: its devices, and its connections to as many peers as a mesh has. */
export const PROBES_PER_NODE_MAX = 1_024;
/** Progress and leases that are kept of one node. */
export const LIVE_RUNS_PER_NODE_MAX = 64;

/** Puts an entry under origin → key and lets the oldest go where there are too many. */
export const putNewest = <T>(
  map: ByNode<ByKey<Entry<T>>>,
  event: EventHead,
  value: T,
  entriesMax: number,
): ByNode<ByKey<Entry<T>>> => {
  const entries = { ...map[event.origin], [event.key]: entryOf(event, value) };
  const keys = Object.keys(entries);
  if (keys.length <= entriesMax) return put(map, event.origin, entries);
  const [oldest] = keys.sort((a, b) => order(entries[a], entries[b]));
  return put(
    map,
    event.origin,
    Object.fromEntries(Object.entries(entries).filter(([key]) => key !== oldest)),
  );
};

const order = (a: Position | undefined, b: Position | undefined): number =>
  (a?.epoch ?? 0) - (b?.epoch ?? 0) || (a?.seq ?? 0) - (b?.seq ?? 0);

interface Position {
  readonly epoch: number;
  readonly seq: number;
}
