// The readings of a node, as declared in the table of kinds: a gathered value with its source and its
// interval, so that any view on any node can show that it is late.

import { entryAt } from '../entry-maps.ts';
import { EVENT_KINDS, type Fact, factOf, KINDS, type KindsWith, type ValueOf } from '../event-kinds.ts';
import type { NodeId } from '../ids.ts';
import type { Entry, ReadingEntry, State } from '../state.ts';
import type { Gathered, ReadingStatus } from './gathered.ts';
import type { GpuVendor } from './gpu.ts';

type NameOf<Kind> = Kind extends `${infer Reading}.gathered` ? Reading : never;

export type ReadingKind = NameOf<KindsWith<{ readonly title: string }>>;

/** Readings that a node has once; of the others it has one per vendor. */
export type NodeReadingKind = NameOf<KindsWith<{ readonly title: string; readonly shape: 'node' }>>;

export type ReadingValues = { readonly [R in ReadingKind]: ValueOf<`${R}.gathered`> };

/** A reading before it becomes an event: what a gatherer emits. */
export type Reading<R extends ReadingKind = ReadingKind> = {
  [K in R]: { readonly kind: K; readonly value: ReadingValues[K] } & (K extends 'network'
    ? NetworkGuesses
    : unknown);
}[R];

interface NetworkGuesses {
  /**
   * Interfaces whose type is only a guess, because a better source did not respond this time. Not recorded.
   */
  readonly guessedTypes?: readonly string[];
}

export const gatheredKind = <R extends ReadingKind>(reading: R): `${R}.gathered` => `${reading}.gathered`;

/** Title for people: "GPU load". */
export const readingTitle = (reading: ReadingKind): string => EVENT_KINDS[gatheredKind(reading)].title ?? '';

/** The vendor of a GPU reading; 'none' for the others, which a node has once. */
export const readingVendor = ({ value }: Reading): GpuVendor | 'none' =>
  'vendor' in value ? value.vendor : 'none';

export const gatheredFact = (
  reading: Reading,
  { source, intervalMs }: Omit<Gathered<unknown>, 'value'>,
): Fact => factOf(gatheredKind(reading.kind), gatheredOf(reading, { source, intervalMs }));

export const statusFact = (status: ReadingStatus): Fact => {
  if (status.kind === 'confirmed') {
    const { kind: _kind, ...payload } = status;
    return factOf('reading.confirmed', payload);
  }
  const { kind, ...payload } = status;
  return factOf(`reading.${kind}`, payload);
};

/** What State holds of a reading, current or not. */
export const readingEntry = (
  state: State,
  node: NodeId,
  { reading, vendor }: { readonly reading: ReadingKind; readonly vendor: GpuVendor | 'none' },
): ReadingEntry<unknown> | undefined => {
  const { field } = EVENT_KINDS[gatheredKind(reading)];
  const entry = vendor === 'none' ? entryAt(state, field, node) : entryAt(state, field, node, vendor);
  return entry !== undefined && isReadingEntry(entry) ? entry : undefined;
};

export const isReadingKind = (reading: string): reading is ReadingKind =>
  KINDS.some(kind => kind === `${reading}.gathered` && EVENT_KINDS[kind].title !== undefined);

/** In the order in which a person expects them. */
export const READING_KINDS: readonly ReadingKind[] = KINDS.map(kind => kind.replace('.gathered', '')).filter(
  isReadingKind,
);

export const NODE_READING_KINDS: readonly NodeReadingKind[] = READING_KINDS.filter(
  (reading): reading is NodeReadingKind => EVENT_KINDS[gatheredKind(reading)].shape === 'node',
);

type GatheredOf<R extends ReadingKind> = { [K in R]: Gathered<ReadingValues[K]> }[R];

const gatheredOf = <R extends ReadingKind>(
  { value }: Reading<R>,
  { source, intervalMs }: Omit<Gathered<unknown>, 'value'>,
): GatheredOf<R> => ({ source, intervalMs, value });

const isReadingEntry = (entry: Entry<unknown>): entry is ReadingEntry<unknown> => 'intervalMs' in entry;
