// Whether a node has said that it stops. State keeps its last word for good; what it says afterwards, in whatever order
// that arrives, stands behind the word and takes it back.

import type { NodeId } from '../ids.ts';
import type { Position } from '../position.ts';
import { isAfter } from '../position.ts';
import type { State } from '../state.ts';

/** How long ago, ms; undefined where it did not, or has spoken since. */
export const stoppedMs = (state: State, node: NodeId, nowMs: number): number | undefined => {
  const stop = state.nodeStops[node];
  if (stop === undefined) return undefined;
  const { durableEpoch, durableSeq } = stop.value;
  const durable = state.origins[node];
  if (durable !== undefined && isAfter(durable, { epoch: durableEpoch, seq: durableSeq })) return undefined;
  const live = newestLiveOf(state, node);
  if (live !== undefined && isAfter(live, stop)) return undefined;
  return Math.max(0, stop.ageMs + nowMs - stop.receivedAtMs);
};

/** Newest live position of a node: what `node.forgotten` names beside the durable one. */
export const newestLiveOf = (state: State, node: NodeId): Position | undefined => {
  let newest: Position | undefined;
  const see = (entry: Position | undefined): void => {
    if (entry !== undefined && (newest === undefined || isAfter(entry, newest))) newest = entry;
  };
  see(state.nodeMemories[node]);
  see(state.nodeSystems[node]);
  see(state.nodeDisks[node]);
  see(state.nodeEndpoints[node]);
  see(state.nodeStops[node]);
  for (const map of [
    state.nodeGpuLoads,
    state.readingStatuses,
    state.probeStatuses,
    state.probeBaselines,
    state.runners,
    state.runProgress,
    state.nodeConflicts,
  ]) {
    for (const entry of Object.values<Position>(map[node] ?? {})) see(entry);
  }
  return newest;
};
