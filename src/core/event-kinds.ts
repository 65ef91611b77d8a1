// The one table of event kinds. Everything that depends on all of them derives from it: payloads and State
// through the compiler; reducers, epochs, catch-up, the canonical hash, recordings and signs of life through
// the rows. A kind is one row, with the schema of its payload.

import { COMPARISON_KINDS } from './comparison/comparison-kinds.ts';
import { PLAIN_EVENT_KINDS } from './document/plain-document.ts';
import type { ItemFigures } from './figure/item-figures.ts';
import type { EventClass, KindRow, TextNames } from './kind-row.ts';
import { LINK_KINDS } from './link/link-kinds.ts';
import { MODEL_KINDS } from './model/model-kinds.ts';
import { CONTAINER_KINDS } from './node/container.ts';
import { DISK_HEALTH_KINDS } from './node/disk-health.ts';
import { DISK_TRAFFIC_KINDS } from './node/disk-traffic.ts';
import { ENGINES_KINDS } from './node/engines.ts';
import { GPU_ERROR_KINDS } from './node/gpu-errors.ts';
import { GPU_HEALTH_KINDS } from './node/gpu-health.ts';
import { NODE_KINDS } from './node/node-kinds.ts';
import { PORT_HEALTH_KINDS } from './node/port-health.ts';
import type { ReadingTable } from './node/reading-table.ts';
import { TOPOLOGY_KINDS } from './node/topology.ts';
import { TRAFFIC_KINDS } from './node/traffic.ts';
import { NOTIFICATION_KINDS } from './notify/notifications.ts';
import { PROBE_KINDS } from './probe/probe-kinds.ts';
import { RUN_KINDS } from './run/run-kinds.ts';
import type { Infer } from './schema.ts';
import { SWEEP_KINDS } from './sweep/sweep-kinds.ts';

type Kinds = typeof NODE_KINDS &
  typeof CONTAINER_KINDS &
  typeof TRAFFIC_KINDS &
  typeof DISK_TRAFFIC_KINDS &
  typeof DISK_HEALTH_KINDS &
  typeof PORT_HEALTH_KINDS &
  typeof TOPOLOGY_KINDS &
  typeof GPU_HEALTH_KINDS &
  typeof GPU_ERROR_KINDS &
  typeof ENGINES_KINDS &
  typeof PROBE_KINDS &
  typeof LINK_KINDS &
  typeof MODEL_KINDS &
  typeof NOTIFICATION_KINDS &
  typeof RUN_KINDS &
  typeof SWEEP_KINDS &
  typeof COMPARISON_KINDS &
  typeof PLAIN_EVENT_KINDS;

/** "<slot>.<past participle>": kinds of one slot and key replace each other. */
export type EventKind = keyof Kinds;

/** Kind to payload. */
export type EventPayloads = { readonly [K in EventKind]: Infer<Kinds[K]['schema']> };

/** The maps of State that events write. */
export type StateField = Kinds[EventKind]['field'];

/**
 * What State contains for a kind: its reading's value, what its row makes of the payload, or the payload.
 */
export type PayloadOf<K extends EventKind> = Kinds[K] extends {
  readonly fromPayload: (payload: never) => infer Current;
}
  ? Current
  : Kinds[K] extends { readonly title: string }
    ? ValueOf<K>
    : EventPayloads[K];

/** The kinds that put entries into a map. */
export type KindsOf<F extends StateField> = {
  [K in EventKind]: Kinds[K] extends { readonly closes: readonly string[] }
    ? never
    : Kinds[K] extends { readonly field: F }
      ? K
      : never;
}[EventKind];

/** The kinds whose rows have a property, as the literal types of the table show. */
export type KindsWith<Property> = {
  [K in EventKind]: Kinds[K] extends Property ? K : never;
}[EventKind];

export type ShapeOf<F extends StateField> = Kinds[KindsOf<F>]['shape'];

/** What a reading reports. */
export type ValueOf<K extends EventKind> = EventPayloads[K] extends { readonly value: infer Value }
  ? Value
  : never;

type Row<K extends EventKind> = KindRow<
  EventPayloads[K],
  PayloadOf<K>,
  StateField,
  TextNames<EventPayloads[K]>
> & {
  readonly schema: Kinds[K]['schema'];
  /** A reading as a table of its own: a panel of the page, and lines of the terminal. */
  readonly table?: (value: ValueOf<K>, ageMs: number) => ReadingTable;
  /** In Prometheus, of what the reading has several of. */
  readonly figures?: ItemFigures<ValueOf<K>>;
};

export const EVENT_KINDS: { readonly [K in EventKind]: Row<K> } = {
  ...NODE_KINDS,
  ...CONTAINER_KINDS,
  ...TRAFFIC_KINDS,
  ...DISK_TRAFFIC_KINDS,
  ...DISK_HEALTH_KINDS,
  ...PORT_HEALTH_KINDS,
  ...TOPOLOGY_KINDS,
  ...GPU_HEALTH_KINDS,
  ...GPU_ERROR_KINDS,
  ...ENGINES_KINDS,
  ...PROBE_KINDS,
  ...LINK_KINDS,
  ...MODEL_KINDS,
  ...NOTIFICATION_KINDS,
  ...RUN_KINDS,
  ...SWEEP_KINDS,
  ...COMPARISON_KINDS,
  ...PLAIN_EVENT_KINDS,
};

export const isEventKind = (kind: string): kind is EventKind => Object.hasOwn(EVENT_KINDS, kind);

export const eventClass = (kind: EventKind): EventClass => EVENT_KINDS[kind].class;

/** The part before the dot. The journal stores the newest event of each (origin, slot, key). */
export const eventSlot = (kind: string): string => {
  const dot = kind.indexOf('.');
  return dot === -1 ? kind : kind.slice(0, dot);
};

/** A kind with its payload, before an origin has numbered it. */
export type Fact<K extends EventKind = EventKind> = {
  [P in K]: { readonly kind: P; readonly payload: EventPayloads[P] };
}[K];

export const factOf = <K extends EventKind>(kind: K, payload: EventPayloads[K]): Fact<K> => ({
  kind,
  payload,
});

/** The key that an event of this kind and payload must carry, '' if a node has only one; decoders refuse any other. */
export const factKey = <K extends EventKind>({ kind, payload }: Fact<K>): string => {
  const link = EVENT_KINDS[kind].linkKey?.(payload);
  return link === undefined ? (EVENT_KINDS[kind].key?.(payload) ?? '') : `${link.sink} ${link.key}`;
};

/** All kinds, in table order. */
export const KINDS: readonly EventKind[] = Object.keys(EVENT_KINDS).filter(isEventKind);
