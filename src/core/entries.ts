// Copy-on-write for the maps of State, and where the live entry of an event is held.

import type { Event, EventHead } from './event.ts';
import type { NodeId } from './ids.ts';
import type { Gathered } from './node/reading.ts';
import type { ByKey, ByNode, Entry, ReadingEntry, State } from './state.ts';

export const put = <T>(map: ByNode<T>, node: NodeId, value: T): ByNode<T> => {
  if (drafts?.has(map) === true) {
    Reflect.set(map, node, value);
    return map;
  }
  const copy = { ...map, [node]: value };
  drafts?.add(copy);
  return copy;
};

/** The state with some of its maps replaced. Within one change it is copied once, too: an event replaces two of its maps. */
export const changed = (state: State, maps: Partial<State>): State => {
  if (drafts?.has(state) === true) return Object.assign(state, maps);
  const copy = { ...state, ...maps };
  drafts?.add(copy);
  return copy;
};

/**
 * Runs a fold of which nobody sees a state in between: a map is copied once and then written in place. Of two hundred nodes
 * a map has two hundred keys, and a batch thousands of events. The fold must call nothing that keeps a state.
 */
export const asOneChange = <T>(fold: () => T): T => {
  drafts = new WeakSet();
  try {
    return fold();
  } finally {
    drafts = undefined;
  }
};

/** States and maps made within the running fold; undefined outside one. */
let drafts: WeakSet<object> | undefined;

export const entryOf = <T>(event: EventHead, value: T): Entry<T> => ({
  value,
  epoch: event.epoch,
  seq: event.seq,
  ageMs: event.ageMs,
  receivedAtMs: event.receivedAtMs,
});

export const readingEntryOf = <T>(event: EventHead, gathered: Gathered<T>): ReadingEntry<T> => ({
  value: gathered.value,
  epoch: event.epoch,
  seq: event.seq,
  ageMs: event.ageMs,
  receivedAtMs: event.receivedAtMs,
  source: gathered.source,
  intervalMs: gathered.intervalMs,
});

/** Puts an entry under origin → key. */
export const putKeyed = <T>(
  map: ByNode<ByKey<Entry<T>>>,
  event: EventHead,
  value: T,
): ByNode<ByKey<Entry<T>>> =>
  put(map, event.origin, { ...map[event.origin], [event.key]: entryOf(event, value) });

/** The entry that a live event would replace; undefined for the first of its (origin, kind, key). */
export const liveEntry = (
  state: State,
  event: Event,
): { readonly epoch: number; readonly seq: number } | undefined => {
  const { origin, key } = event;
  switch (event.kind) {
    case 'memory.gathered':
      return state.nodeMemories[origin];
    case 'system.gathered':
      return state.nodeSystems[origin];
    case 'disk.gathered':
      return state.nodeDisks[origin];
    case 'gpuLoads.gathered':
      return state.nodeGpuLoads[origin]?.[key];
    case 'reading.confirmed':
    case 'reading.failed':
    case 'reading.absent':
      return state.readingStatuses[origin]?.[key];
    case 'probe.reported':
      return state.probeStatuses[origin]?.[key];
    case 'baseline.told':
      return state.probeBaselines[origin]?.[key];
    case 'endpoints.told':
      return state.nodeEndpoints[origin];
    case 'runner.reported':
      return state.runners[origin]?.[key];
    case 'progress.reported':
      return state.runProgress[origin]?.[key];
    case 'node.stopping':
      return state.nodeStops[origin];
    case 'conflict.seen':
      return state.nodeConflicts[origin]?.[event.payload.subject];
    case 'unknown':
      return state.unknownKinds[origin]?.[event.unknownKind];
    default:
      return undefined;
  }
};
