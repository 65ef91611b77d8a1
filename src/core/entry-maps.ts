// Reads the maps of State at any depth: an object with a receipt is an entry, and everything above it is a
// map.

import { EVENT_KINDS, type EventKind, KINDS, type PayloadOf } from './event-kinds.ts';
import { isNodeId, type NodeId } from './ids.ts';
import { type ByKey, type Entry, FIELDS, type FieldRow, type State, stateWith } from './state.ts';

/** Anything that has a receipt: an entry, or an origin's progress. */
export interface Received {
  readonly receivedAtMs: number;
}

/** Age of an entry's value now, ms. */
export const ageMsOf = (
  entry: { readonly ageMs: number; readonly receivedAtMs: number },
  nowMs: number,
): number => Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs);

/** A map's values; none if the map does not exist. */
export const entriesOf = <T>(map: ByKey<T> | undefined): readonly T[] =>
  map === undefined ? [] : Object.values(map);

/** The entries of one node in one map. */
export const entriesOfNode = (
  state: State,
  field: FieldRow['field'],
  node: NodeId,
): readonly Entry<unknown>[] => {
  const map = state[field];
  return Object.hasOwn(map, node) ? entriesUnder(map[node]) : [];
};

/** The only entry of a node in a map, or the one of a key if the map has several per node. */
export const entryAt = (
  state: State,
  field: FieldRow['field'],
  node: NodeId,
  key?: string,
): Entry<unknown> | undefined => {
  const map: Mapping = state[field];
  const ofNode = map[node];
  const value = key === undefined ? ofNode : isObject(ofNode) ? ofNode[key] : undefined;
  // Inherited values have no receipt.
  return isObject(value) && isEntry(value) ? value : undefined;
};

/** Every node with an entry in a map. */
export const nodesIn = (map: object): readonly NodeId[] => Object.keys(map).filter(isNodeId);

/**
 * Applies one change to everything in State that has a receipt: to move it onto another clock, or to count
 * its age up to now.
 */
export const mapEntries = (state: State, change: <E extends Received>(entry: E) => E): State =>
  stateWith({
    ...Object.fromEntries(FIELDS.map(({ field }) => [field, mapTree(state[field], change)])),
    origins: mapValues(state.origins, change),
    unknownKinds: state.unknownKinds,
    refusedKinds: state.refusedKinds,
  });

/** State without the entries that do not pass. */
export const filterEntries = (state: State, passes: (entry: Received) => boolean): State => {
  const filtered = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const kept = Object.entries(value).flatMap(([key, inner]) => {
      if (isObject(inner) && isEntry(inner)) return passes(inner) ? [[key, inner]] : [];
      return [[key, filtered(inner)]];
    });
    return Object.fromEntries(kept);
  };
  return stateWith({
    ...state,
    ...Object.fromEntries(FIELDS.map(({ field }) => [field, filtered(state[field])])),
  });
};

type Mapping = Readonly<Record<string, unknown>>;

const entriesUnder = (value: unknown): readonly Entry<unknown>[] => {
  if (!isObject(value)) return [];
  return isEntry(value) ? [value] : Object.values(value).flatMap(entriesUnder);
};

const mapTree = (value: unknown, change: <E extends Received>(entry: E) => E): unknown => {
  if (!isObject(value)) return value;
  return isEntry(value) ? change(value) : mapValues(value, inner => mapTree(inner, change));
};

/** By definition, not assignment: a peer may name a runner "__proto__", and it must stay a key. */
const mapValues = <T>(map: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const isObject = (value: unknown): value is Mapping => typeof value === 'object' && value !== null;

/** A map may have any key, but contains no number. */
const isEntry = (value: object): value is Entry<unknown> =>
  'receivedAtMs' in value && typeof value.receivedAtMs === 'number';

// State back to facts: each entry with the kind and payload that wrote it. A node publishes them again after
// its journal was recreated, and a recording starts with them.
interface CurrentFact {
  readonly kind: EventKind;
  /** Has the kind's type; the sender validates it like a peer's payload. */
  readonly payload: unknown;
  readonly entry: Entry<unknown>;
}

/** In table order of the kinds. */
export const currentFacts = (state: State, node: NodeId): readonly CurrentFact[] =>
  KINDS.flatMap(kind =>
    entriesOfNode(state, EVENT_KINDS[kind].field, node).flatMap(entry => {
      const payload = payloadOf(kind, entry);
      return payload === undefined ? [] : [{ kind, payload, entry }];
    }),
  );

const payloadOf = <K extends EventKind>(kind: K, entry: Entry<unknown>): unknown => {
  const { closes, title, toPayload } = EVENT_KINDS[kind];
  if (closes !== undefined || !isStoredBy(kind, entry)) return undefined;
  if (title === undefined) return toPayload === undefined ? entry.value : toPayload(entry.value);
  const { epoch: _epoch, seq: _seq, ageMs: _ageMs, receivedAtMs: _receivedAtMs, ...gathered } = entry;
  return gathered;
};

/** State has one writer, and the table defines what it writes into the map of a kind. */
const isStoredBy = <K extends EventKind>(_kind: K, entry: Entry<unknown>): entry is Entry<PayloadOf<K>> =>
  entry.value !== undefined;
