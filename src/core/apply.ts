// The only writer of state: pure, total, idempotent. Events of different origins commute; a replay of a journal gives
// the same state and has no effect anywhere else.

import { asOneChange, changed, entryOf, liveEntry, put, putKeyed } from './entries.ts';
import { dropOldEpoch } from './epoch.ts';
import type { Event, KnownEvent, UnknownEvent } from './event.ts';
import type { NodeId } from './ids.ts';
import { closeConnection, openConnection, putLinkProfile } from './link/link-reducer.ts';
import { applyReading } from './node/node-reducer.ts';
import { isAfter } from './position.ts';
import {
  LIVE_RUNS_PER_NODE_MAX,
  PROBES_PER_NODE_MAX,
  putNewest,
  RUNS_PER_NODE_MAX,
} from './run/run-reducer.ts';
import type { OriginProgress, State } from './state.ts';

/**
 * A durable event applies when it is the next of its (origin, epoch), or the first of a newer epoch; a live event when
 * it is newer than the one held for its (origin, kind, key). Anything else returns the very same state.
 */
export const apply = (state: State, event: Event): State =>
  event.class === 'durable' ? applyDurable(state, event) : applyLive(state, event);

export const applyAll = (state: State, events: Iterable<Event>): State => {
  // Read before the fold: what makes the events may do anything.
  const all = [...events];
  return asOneChange(() => all.reduce(apply, state));
};

/** Durable events of one origin and epoch with the holes that compaction left: everything up to `through` is answered. */
export interface CatchUp {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly through: number;
  /** Ascending by seq. */
  readonly events: readonly Event[];
  /** When it was received, on this process's monotonic clock, ms. */
  readonly receivedAtMs: number;
}

/** Applies what is newer than the state holds and moves the origin's progress to `through`. */
export const applyCatchUp = (state: State, catchUp: CatchUp): State => {
  const held = state.origins[catchUp.origin];
  if (held !== undefined && held.epoch > catchUp.epoch) return state;
  let next = held !== undefined && held.epoch === catchUp.epoch ? state : dropOldEpoch(state, catchUp.origin);
  const from = held !== undefined && held.epoch === catchUp.epoch ? held.seq : 0;
  if (catchUp.through <= from && next === state && held !== undefined) return state;
  for (const event of catchUp.events) {
    if (event.class !== 'durable' || event.origin !== catchUp.origin || event.epoch !== catchUp.epoch)
      continue;
    if (event.seq <= from || event.seq > catchUp.through) continue;
    next = reduce(next, event);
  }
  return progress(next, catchUp.origin, {
    epoch: catchUp.epoch,
    seq: Math.max(from, catchUp.through),
    receivedAtMs: catchUp.receivedAtMs,
  });
};

const applyDurable = (state: State, event: Event): State => {
  const held = state.origins[event.origin];
  if (held !== undefined && event.epoch < held.epoch) return state;
  const isNewEpoch = held === undefined || event.epoch > held.epoch;
  if (event.seq !== (isNewEpoch ? 1 : held.seq + 1)) return state;
  const base = isNewEpoch && held !== undefined ? dropOldEpoch(state, event.origin) : state;
  return progress(reduce(base, event), event.origin, {
    epoch: event.epoch,
    seq: event.seq,
    receivedAtMs: event.receivedAtMs,
  });
};

const applyLive = (state: State, event: Event): State => {
  const held = liveEntry(state, event);
  if (held !== undefined && !isAfter(event, held)) return state;
  return reduce(state, event);
};

const progress = (state: State, origin: NodeId, value: OriginProgress): State =>
  changed(state, { origins: put(state.origins, origin, value) });

const reduce = (state: State, event: Event): State =>
  event.kind === 'unknown' ? noteUnknown(state, event) : reduceKnown(state, event);

const reduceKnown = (state: State, event: KnownEvent): State => {
  switch (event.kind) {
    case 'connection.opened':
      return openConnection(state, event);
    case 'connection.closed':
      return closeConnection(state, event);
    case 'link.profiled':
      return putLinkProfile(state, event);
    case 'gpu.profiled':
      return changed(state, { nodeGpuProfiles: putKeyed(state.nodeGpuProfiles, event, event.payload) });
    case 'probe.reported':
      return {
        ...state,
        probeStatuses: putNewest(state.probeStatuses, event, event.payload, PROBES_PER_NODE_MAX),
      };
    case 'baseline.told':
      return {
        ...state,
        probeBaselines: putNewest(state.probeBaselines, event, event.payload, PROBES_PER_NODE_MAX),
      };
    case 'endpoints.told':
      return {
        ...state,
        nodeEndpoints: put(state.nodeEndpoints, event.origin, entryOf(event, event.payload)),
      };
    case 'runner.reported':
      return { ...state, runners: putNewest(state.runners, event, event.payload, LIVE_RUNS_PER_NODE_MAX) };
    case 'run.started':
    case 'run.ended':
      return { ...state, runs: putNewest(state.runs, event, event.payload, RUNS_PER_NODE_MAX) };
    case 'progress.reported':
      return {
        ...state,
        runProgress: putNewest(state.runProgress, event, event.payload, LIVE_RUNS_PER_NODE_MAX),
      };
    case 'node.forgotten':
      return { ...state, nodeForgets: putKeyed(state.nodeForgets, event, event.payload) };
    case 'node.stopping':
      return { ...state, nodeStops: put(state.nodeStops, event.origin, entryOf(event, event.payload)) };
    case 'conflict.seen':
      return { ...state, nodeConflicts: putKeyed(state.nodeConflicts, event, event.payload) };
    default:
      return applyReading(state, event);
  }
};

/** At most this many unknown kinds an origin are remembered by name; more are still stored and relayed. */
export const UNKNOWN_KINDS_PER_ORIGIN_MAX = 64;

const noteUnknown = (state: State, event: UnknownEvent): State => {
  const kinds = state.unknownKinds[event.origin] ?? {};
  const held = kinds[event.unknownKind];
  if (held === undefined && Object.keys(kinds).length >= UNKNOWN_KINDS_PER_ORIGIN_MAX) return state;
  const noted = { class: event.class, epoch: event.epoch, seq: event.seq, count: (held?.count ?? 0) + 1 };
  return {
    ...state,
    unknownKinds: put(state.unknownKinds, event.origin, { ...kinds, [event.unknownKind]: noted }),
  };
};
