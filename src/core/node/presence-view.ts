// Whether a node is present: by local receipt of its events, by its own stop event, and by others forgetting it. None
// of this is stored.

import { entriesOf, entriesOfNode, entryAt, nodesIn } from '../entry-maps.ts';
import { isAfter, isNodeId, type NodeId, type Position } from '../ids.ts';
import { type Entry, FIELDS, LIVE_FIELDS, type State } from '../state.ts';
import type { NodeForgotten } from './presence.ts';

export type Presence = 'live' | 'stale' | 'offline';

interface PresenceLimits {
  readonly staleMs: number;
  readonly offlineMs: number;
}

/** DESIGN §3.1: by local receipt, regardless of the ages in events. A node's own config may set others. */
export const PRESENCE_LIMITS: PresenceLimits = { staleMs: 10_000, offlineMs: 30_000 };

/** Local receipt of the newest event of a node, ms; -Infinity for a node never seen. */
export const lastSeenMs = (state: State, node: NodeId): number => {
  let newest = state.origins[node]?.receivedAtMs ?? Number.NEGATIVE_INFINITY;
  for (const { field, shape } of SIGNS_OF_LIFE) {
    // Called for each of a thousand nodes every second: if a node has one entry, no list is made of it.
    if (shape === 'node')
      newest = Math.max(newest, entryAt(state, field, node)?.receivedAtMs ?? Number.NEGATIVE_INFINITY);
    else
      for (const { receivedAtMs } of entriesOfNode(state, field, node))
        newest = Math.max(newest, receivedAtMs);
  }
  return newest;
};

export const presence = (
  state: State,
  node: NodeId,
  nowMs: number,
  limits: PresenceLimits = state.nodeConfigs[node]?.value.presence ?? PRESENCE_LIMITS,
): Presence =>
  stoppedMs(state, node, nowMs) === undefined
    ? presenceAfter(nowMs - lastSeenMs(state, node), limits)
    : 'offline';

/** For a node that has not reported that it stops, by the time since it was last seen. */
export const presenceAfter = (silentMs: number, limits: PresenceLimits | undefined): Presence => {
  const { staleMs, offlineMs } = limits ?? PRESENCE_LIMITS;
  if (silentMs >= offlineMs) return 'offline';
  return silentMs >= staleMs ? 'stale' : 'live';
};

/** Every node that wrote something and is not forgotten, sorted by id. */
export const nodeIds = (state: State): readonly NodeId[] => {
  const ids = new Set(nodesIn(state.origins));
  for (const field of NODES_REPORTED_BY)
    for (const id of Object.keys(state[field])) {
      // Most are already valid and need no check of each character.
      const known: ReadonlySet<string> = ids;
      if (!known.has(id) && isNodeId(id)) ids.add(id);
    }
  const all = [...ids];
  const hasForgets = Object.keys(state.nodeForgets).length > 0;
  return (hasForgets ? all.filter(id => !isForgotten(state, id)) : all).sort();
};

/** A node is hidden while a `node.forgotten` covers everything known about it. */
export const isForgotten = (state: State, node: NodeId): boolean => {
  for (const forgets of entriesOf(state.nodeForgets)) {
    const forget = forgets[node];
    if (forget !== undefined && isCovered(state, node, forget)) return true;
  }
  return false;
};

/**
 * A forget event covers what its writer had received, and any member may write one with any numbers. So it
 * covers nothing if it claims durable events that do not exist here, and events of the node itself take
 * precedence: a node from which something arrived after the forget event, or shortly before it, was not gone.
 * Live numbers are not compared: after a restart no node has the live events.
 */
const isCovered = (state: State, node: NodeId, forget: Entry<NodeForgotten>): boolean => {
  const { durableEpoch, durableSeq, liveEpoch, liveSeq } = forget.value;
  const durable = state.origins[node] ?? NEVER_SEEN;
  const point = { epoch: durableEpoch, seq: durableSeq };
  if (isAfter(durable, point) || isAfter(point, durable)) return false;
  const live = newestLiveOf(state, node);
  if (live !== undefined && isAfter(live, { epoch: liveEpoch, seq: liveSeq })) return false;
  const forgottenMs = forget.receivedAtMs - forget.ageMs;
  const quietMs = stoppedMs(state, node, forgottenMs) === undefined ? FORGOTTEN_QUIET_MS : 0;
  return lastSeenMs(state, node) + quietMs <= forgottenMs;
};

/**
 * How long ago a node reported that it stops, ms; undefined if it did not, or has sent something since. State
 * keeps the stop event for good; a later event of the node, in whichever order it arrives, cancels it.
 */
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

/** Newest live position of a node: named by `node.forgotten` in addition to the durable one. */
export const newestLiveOf = (state: State, node: NodeId): Position | undefined => {
  let newest: Position | undefined;
  for (const field of LIVE_FIELDS)
    for (const entry of entriesOfNode(state, field, node))
      if (newest === undefined || isAfter(entry, newest)) newest = entry;
  return newest;
};

/**
 * A node that is up cannot be forgotten; what two nodes last received from a third may differ by a relay's
 * delay.
 */
const FORGOTTEN_QUIET_MS = 2_000;
const NEVER_SEEN: Position = { epoch: 0, seq: 0 };
const SIGNS_OF_LIFE = FIELDS.filter(({ isSignOfLife }) => isSignOfLife);
const NODES_REPORTED_BY = ['nodeIdentities' as const, ...SIGNS_OF_LIFE.map(({ field }) => field)];
