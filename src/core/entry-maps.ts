// Reads the maps of State at any depth: an object with a receipt is an entry, and everything above it is a
// map.

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
  const held = key === undefined ? ofNode : isObject(ofNode) ? ofNode[key] : undefined;
  // Inherited values have no receipt.
  return isObject(held) && isEntry(held) ? held : undefined;
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
