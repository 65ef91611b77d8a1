// The whole state of the cluster: split by kind, keyed by the node that wrote each entry, so that every kind
// updates at its own rate and the first known value is shown at once. Immutable; `apply` is the only writer.
// Its maps are those of the table of kinds.

import * as v from 'valibot';
import {
  EVENT_KINDS,
  type EventKind,
  KINDS,
  type KindsOf,
  type KindsWith,
  type PayloadOf,
  type ShapeOf,
  type StateField,
} from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { EntryShape, EventClass } from './kind-row.ts';
import { count, figure, type Infer } from './schema.ts';

/** A value with its position in its origin's order and its age when it arrived here. */
export interface Entry<T> {
  readonly value: T;
  readonly epoch: number;
  readonly seq: number;
  /** Age at receipt, ms. Age now = ageMs + (now - receivedAtMs). */
  readonly ageMs: number;
  /** On this process's monotonic clock, ms. */
  readonly receivedAtMs: number;
}

export interface ReadingEntry<T> extends Entry<T> {
  readonly source: string;
  readonly intervalMs: number;
}

export const originSchema = v.object({
  epoch: count,
  seq: count /** Local receipt of the newest durable event, ms. */,
  receivedAtMs: figure,
});

/** How far the durable events of an origin have been applied. */
export type OriginProgress = Infer<typeof originSchema>;

export const unknownKindSchema = v.object({
  class: v.picklist(['durable', 'live']),
  epoch: count,
  seq: count,
  count,
});

/** A kind of which events were left out: the position of the newest, and their number. */
export type UnknownKind = Infer<typeof unknownKindSchema>;

export type ByNode<T> = Readonly<Record<NodeId, T>>;
export type ByKey<T> = Readonly<Record<string, T>>;

type EntryOf<K extends EventKind> =
  K extends KindsWith<{ readonly title: string }> ? ReadingEntry<PayloadOf<K>> : Entry<PayloadOf<K>>;

/** `keyed`: node → key of the event. `linked`: source → sink → connection key. */
type Shaped<S extends EntryShape, T> = S extends 'node'
  ? ByNode<T>
  : S extends 'keyed'
    ? ByNode<ByKey<T>>
    : ByNode<ByNode<ByKey<T>>>;

/** One map per state field of the table. */
type EntryMaps = {
  readonly [F in StateField]: Shaped<ShapeOf<F>, EntryOf<KindsOf<F>>>;
};

export interface State extends EntryMaps {
  readonly origins: ByNode<OriginProgress>;
  /** origin → kind */
  readonly unknownKinds: ByNode<ByKey<UnknownKind>>;
  /** origin → kind, if the origin sent more entries than its row allows; `count` of them were refused. */
  readonly refusedKinds: ByNode<ByKey<UnknownKind>>;
}

/** The properties of a map as a whole: its kinds agree on them. */
export interface FieldRow {
  readonly field: StateField;
  readonly class: EventClass;
  readonly shape: EntryShape;
  readonly entriesMax: number;
  readonly isSignOfLife: boolean;
}

/** In table order. */
export const FIELDS: readonly FieldRow[] = fieldRows();

/** The maps of journaled values; the others contain live values. */
export const DURABLE_FIELDS: readonly StateField[] = FIELDS.filter(row => row.class === 'durable').map(
  ({ field }) => field,
);

export const LIVE_FIELDS: readonly StateField[] = FIELDS.filter(row => row.class === 'live').map(
  ({ field }) => field,
);

/** A state with the given maps, and empty ones for the rest: that of another version may not have all of them. */
export const stateWith = (maps: Partial<State>): State => {
  const empty = FIELDS.map(({ field }) => [field, {}] as const);
  const state: object = {
    ...Object.fromEntries(empty),
    origins: {},
    unknownKinds: {},
    refusedKinds: {},
    ...maps,
  };
  if (!hasEveryMap(state)) throw new TypeError('the table of kinds and the maps of State do not agree');
  return state;
};

export const EMPTY_STATE: State = stateWith({});

function fieldRows(): readonly FieldRow[] {
  const rows = new Map<StateField, FieldRow>();
  for (const kind of KINDS) {
    const { field, class: eventClass, shape, entriesMax, isSignOfLife = false } = EVENT_KINDS[kind];
    if (!rows.has(field)) rows.set(field, { field, class: eventClass, shape, entriesMax, isSignOfLife });
  }
  return [...rows.values()];
}

/** For data that was read: its entries are checked elsewhere. */
export function hasEveryMap(maps: object): maps is State {
  return [...FIELDS.map(({ field }) => field), 'origins', 'unknownKinds', 'refusedKinds'].every(name =>
    Object.hasOwn(maps, name),
  );
}
