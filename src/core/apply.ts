// The only writer of state: pure, total, idempotent. Events of different origins commute; a replay of a journal gives
// the same state and has no effect anywhere else.

import { Draft, type NotedField } from './draft.ts';
import { entryAt } from './entry-maps.ts';
import type { Event, EventHead, KnownEvent, UnknownEvent } from './event.ts';
import { EVENT_KINDS, type EventKind, KINDS, type StateField } from './event-kinds.ts';
import { isAfter, type NodeId } from './ids.ts';
import type { EntryBounds, EntryShape, EventClass, LinkKey } from './kind-row.ts';
import type { Gathered } from './node/gathered.ts';
import { recordOf } from './record-of.ts';
import { DURABLE_FIELDS, type Entry, LIVE_FIELDS, type ReadingEntry, type State } from './state.ts';

/**
 * A durable event applies when it is the next of its (origin, epoch), or the first of a newer epoch; a live
 * event when it is newer than the stored one of its (origin, kind, key). Otherwise the same state object is
 * returned.
 */
export const apply = (state: State, event: Event): State => {
  const draft = new Draft(state, { isBatch: false });
  applyTo(draft, event);
  return draft.state;
};

/** Applies several events; a map is copied once, not once per event. */
export const applyAll = (state: State, events: Iterable<Event>): State => {
  // Read before the fold, because the iterable may have side effects.
  const all = [...events];
  const [first] = all;
  if (first !== undefined && all.length === 1) return apply(state, first);
  const draft = new Draft(state, { isBatch: true });
  for (const event of all) applyTo(draft, event);
  return draft.state;
};

/** Durable events of one origin and epoch, with the gaps that compaction left: complete up to `through`. */
export interface CatchUp {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly through: number;
  /** Ascending by seq. */
  readonly events: readonly Event[];
  /** When it was received: monotonic clock of this process, ms. */
  readonly receivedAtMs: number;
}

/** Applies what is newer than the state holds and moves the origin's progress to `through`. */
export const applyCatchUp = (state: State, catchUp: CatchUp): State => {
  const draft = new Draft(state, { isBatch: true });
  catchUpTo(draft, catchUp);
  return draft.state;
};

/** As `applyCatchUp`, into a draft. */
export const catchUpTo = (draft: Draft, catchUp: CatchUp): void => {
  const { origin, epoch, through, receivedAtMs } = catchUp;
  const position = draft.state.origins[origin];
  if (position !== undefined && position.epoch > epoch) return;
  const isSameEpoch = position?.epoch === epoch;
  const from = isSameEpoch ? position.seq : 0;
  if (isSameEpoch && through <= from) return;
  if (!isSameEpoch) dropDurable(draft, origin);
  for (const event of catchUp.events) {
    if (event.class !== 'durable' || event.origin !== origin || event.epoch !== epoch) continue;
    if (event.seq > from && event.seq <= through) reduce(draft, event);
  }
  draft.putProgress(origin, { epoch, seq: Math.max(from, through), receivedAtMs });
};

/**
 * At most this many unknown kinds of an origin are remembered by name; more are still stored and relayed.
 */
export const UNKNOWN_KINDS_PER_ORIGIN_MAX = 64;

/** As `apply`, into a draft. */
export const applyTo = (draft: Draft, event: Event): void => {
  if (event.class === 'durable') applyDurable(draft, event);
  else applyLive(draft, event);
};

const applyDurable = (draft: Draft, event: Event): void => {
  const { origin, epoch, seq, receivedAtMs } = event;
  const position = draft.state.origins[origin];
  if (position !== undefined && epoch < position.epoch) return;
  const isNewEpoch = position === undefined || epoch > position.epoch;
  if (seq !== (isNewEpoch ? 1 : position.seq + 1)) return;
  if (isNewEpoch && position !== undefined) dropDurable(draft, origin);
  reduce(draft, event);
  draft.putProgress(origin, { epoch, seq, receivedAtMs });
};

const applyLive = (draft: Draft, event: Event): void => {
  if (event.kind === 'unknown') {
    const noted = draft.state.unknownKinds[event.origin]?.[event.unknownKind];
    if (noted === undefined || isAfter(event, noted)) noteUnknown(draft, event);
    return;
  }
  const row = FOLD_ROWS[event.kind];
  const existing = currentEntry(draft.state, row, event);
  if (existing === undefined || isAfter(event, existing)) reduceKnown(draft, event, row);
};

/**
 * A newer epoch of an origin replaces everything durable that an older one wrote: the old journal is gone,
 * and nothing would correct its events.
 */
const dropDurable = (draft: Draft, origin: NodeId): void => {
  for (const field of DURABLE_FIELDS) draft.dropNode(field, origin);
  dropNoted(draft, origin, 'durable');
};

/** Removes all live entries of an origin, for a fold that is limited to a number of nodes. */
export const dropLive = (draft: Draft, origin: NodeId): void => {
  for (const field of LIVE_FIELDS) draft.dropNode(field, origin);
  dropNoted(draft, origin, 'live');
};

/** Removes all entries of an origin. */
export const dropOrigin = (draft: Draft, origin: NodeId): void => {
  dropDurable(draft, origin);
  dropLive(draft, origin);
  draft.dropNode('origins', origin);
};

const dropNoted = (draft: Draft, origin: NodeId, eventClass: EventClass): void => {
  for (const field of NOTED_FIELDS)
    for (const [kind, noted] of Object.entries(draft.state[field][origin] ?? {}))
      if (noted.class === eventClass) draft.dropNoted(field, origin, kind);
};

const reduce = (draft: Draft, event: Event): void => {
  if (event.kind === 'unknown') noteUnknown(draft, event);
  else reduceKnown(draft, event, FOLD_ROWS[event.kind]);
};

const reduceKnown = (draft: Draft, event: KnownEvent, row: FoldRow): void => {
  const { origin } = event;
  const { field, shape, closes, replaces } = row;
  const address = shape === 'linked' ? linkKeyOf(event) : undefined;
  if (closes !== undefined && address !== undefined) {
    for (const closed of closes) draft.dropLinked(closed, origin, address);
    return;
  }
  const entry = entryFor(event, row);
  if (address !== undefined) {
    for (const replaced of replaces ?? NONE) draft.dropLinked(replaced, origin, address);
    if (!draft.putLinked(field, origin, address, entry, row)) noteRefused(draft, event);
  } else if (shape === 'node') draft.putOne(field, origin, entry);
  else if (!draft.putKeyed(field, event, entry, row)) noteRefused(draft, event);
};

/**
 * Read from the payload, not from the key: maps already contain its strings, while parts of a key would be
 * new strings for each event.
 */
export const linkKeyOf = <K extends EventKind>({ kind, payload }: KnownEvent<K>): LinkKey | undefined =>
  EVENT_KINDS[kind].linkKey?.(payload);

const currentEntry = (
  state: State,
  { field, shape }: FoldRow,
  { origin, key }: EventHead,
): Entry<unknown> | undefined =>
  shape === 'node' ? entryAt(state, field, origin) : entryAt(state, field, origin, key);

const entryFor = (event: KnownEvent, { holds }: FoldRow): Entry<unknown> | ReadingEntry<unknown> => {
  const { epoch, seq, ageMs, receivedAtMs, payload } = event;
  if (holds === 'reading' && isGathered(payload)) {
    const { source, intervalMs, value } = payload;
    const entry = { value, epoch, seq, ageMs, receivedAtMs, source, intervalMs };
    // Keeps fields that a later version sends next to the value, but an entry's position never comes from a
    // payload. Copies only in that case: copying every payload costs a quarter of the fold.
    return fieldCount(payload) > GATHERED_FIELDS ? { ...payload, ...entry } : entry;
  }
  return { value: holds === 'made' ? madeOf(event) : payload, epoch, seq, ageMs, receivedAtMs };
};

const madeOf = <K extends EventKind>({ kind, payload }: KnownEvent<K>): unknown =>
  EVENT_KINDS[kind].fromPayload?.(payload);

const fieldCount = (payload: object): number => {
  let count = 0;
  for (const _name in payload) count += 1;
  return count;
};

/** source, intervalMs, value */
const GATHERED_FIELDS = 3;

const isGathered = (payload: object): payload is Gathered<unknown> => 'value' in payload;

const noteUnknown = (draft: Draft, event: UnknownEvent): void => {
  const kinds = draft.state.unknownKinds[event.origin] ?? {};
  const noted = kinds[event.unknownKind];
  if (noted === undefined && Object.keys(kinds).length >= UNKNOWN_KINDS_PER_ORIGIN_MAX) return;
  const { class: eventClass, epoch, seq } = event;
  const count = (noted?.count ?? 0) + 1;
  draft.putNoted('unknownKinds', event.origin, event.unknownKind, { class: eventClass, epoch, seq, count });
};

/** A repeated one is not counted again, and changes nothing. */
const noteRefused = (draft: Draft, { origin, kind, class: eventClass, epoch, seq }: KnownEvent): void => {
  const noted = draft.state.refusedKinds[origin]?.[kind];
  if (noted !== undefined && !isAfter({ epoch, seq }, noted)) return;
  const count = (noted?.count ?? 0) + 1;
  draft.putNoted('refusedKinds', origin, kind, { class: eventClass, epoch, seq, count });
};

const NONE: readonly StateField[] = [];
const NOTED_FIELDS: readonly NotedField[] = ['unknownKinds', 'refusedKinds'];

/**
 * The fold's view of a row. The rows of the table have different properties in different orders; reading
 * objects of many shapes is half the cost of an event, so these all have one shape.
 */
interface FoldRow extends EntryBounds {
  readonly field: StateField;
  readonly shape: EntryShape;
  readonly closes: readonly StateField[] | undefined;
  readonly replaces: readonly StateField[] | undefined;
  /**
   * What State contains: the payload, a reading's value with its metadata, or what the row makes of the
   * payload.
   */
  readonly holds: 'payload' | 'reading' | 'made';
}

const FOLD_ROWS: Readonly<Record<EventKind, FoldRow>> = recordOf(KINDS, kind => {
  const { field, shape, closes, replaces, title, fromPayload, ...row } = EVENT_KINDS[kind];
  const { entriesMax, entriesPerSinkMax = entriesMax, isNewestKept = false } = row;
  const holds = title !== undefined ? 'reading' : fromPayload !== undefined ? 'made' : 'payload';
  return { field, shape, closes, replaces, holds, entriesMax, entriesPerSinkMax, isNewestKept };
});
