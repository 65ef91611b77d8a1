// The state and the messages of the stream, as JSON. The schemas are derived from the table of kinds and the
// payload of each kind, so that a new kind needs no description here.

import * as v from 'valibot';
import type { Event } from '../../core/event.ts';
import { EVENT_KINDS, type EventKind, isEventKind, KINDS, type StateField } from '../../core/event-kinds.ts';
import { readingStatusSchema } from '../../core/node/gathered.ts';
import { gatheredKind, isReadingKind } from '../../core/node/reading.ts';
import { count, figure, interval, nodeIdSchema, type Schema, text } from '../../core/schema.ts';
import {
  type Entry,
  FIELDS,
  type FieldRow,
  hasEveryMap,
  originSchema,
  type State,
  unknownKindSchema,
} from '../../core/state.ts';
import {
  type BatchMessage,
  type DroppedMessage,
  type SnapshotMessage,
  STREAM_VERSION,
} from '../stream-message.ts';
import { dropReasonSchema } from './daemon-answers.ts';

const entryParts = { epoch: count, seq: count, ageMs: figure, receivedAtMs: figure } as const;

/** A value of State, its position in its origin's order, and its age at `receivedAtMs`. */
export const entrySchema = <T>(value: Schema<T>): Schema<Entry<T>> => v.object({ value, ...entryParts });

const readingEntrySchema = (value: v.GenericSchema): v.GenericSchema =>
  v.object({ value, ...entryParts, source: text, intervalMs: interval });

/** What State contains for a kind. */
const entrySchemaOf = (kind: EventKind): v.GenericSchema => {
  const reading = kind.replace('.gathered', '');
  if (isReadingKind(reading))
    return readingEntrySchema(EVENT_KINDS[gatheredKind(reading)].schema.entries.value);
  const { field, fromPayload } = EVENT_KINDS[kind];
  const valueSchema: v.GenericSchema | undefined =
    fromPayload === undefined ? EVENT_KINDS[kind].schema : MADE_OF_PAYLOADS[field];
  if (valueSchema === undefined) throw new TypeError(`${kind} in the state has no schema`);
  return entrySchema(valueSchema);
};

/** Maps whose entries are not the payloads of their kinds. */
const MADE_OF_PAYLOADS: { readonly [F in StateField]?: v.GenericSchema } = {
  readingStatuses: readingStatusSchema,
};

/** A map whose keys may be any text. */
const byKey = (value: v.GenericSchema): v.GenericSchema => v.record(v.string(), value);
const byNode = (value: v.GenericSchema): v.GenericSchema => v.record(nodeIdSchema, value);

const mapSchema = ({ field, shape }: FieldRow): v.GenericSchema => {
  const kind = KINDS.find(one => EVENT_KINDS[one].field === field && EVENT_KINDS[one].closes === undefined);
  if (kind === undefined) throw new TypeError(`no kind of the table writes to ${field}`);
  const entry = entrySchemaOf(kind);
  switch (shape) {
    case 'node':
      return byNode(entry);
    case 'keyed':
      return byNode(byKey(entry));
    case 'linked':
      return byNode(byNode(byKey(entry)));
    default:
      return shape satisfies never;
  }
};

const stateEntries: v.ObjectEntries = {
  ...Object.fromEntries(FIELDS.map(row => [row.field, mapSchema(row)])),
  origins: byNode(originSchema),
  unknownKinds: byNode(byKey(unknownKindSchema)),
  refusedKinds: byNode(byKey(unknownKindSchema)),
};

export const stateSchema: Schema<State> = v.pipe(v.object(stateEntries), v.guard(hasEveryMap));

type StateAnswer = State & {
  /** The monotonic clock of the responding daemon, to which every age is counted. */
  readonly nowMs: number;
};

export const stateAnswerSchema: Schema<StateAnswer> = v.pipe(
  v.object({ nowMs: figure, ...stateEntries }),
  v.guard((state): state is StateAnswer & typeof state => hasEveryMap(state)),
);

const headParts = {
  origin: nodeIdSchema,
  epoch: count,
  class: v.picklist(['durable', 'live']),
  seq: count,
  key: v.string(),
  ageMs: figure,
  receivedAtMs: figure,
} as const;

const isEvent = ({ kind }: { readonly kind: string }): boolean => isEventKind(kind) || kind === 'unknown';

export const eventSchema: Schema<Event> = v.pipe(
  v.variant('kind', [
    ...KINDS.map(kind =>
      v.object({ kind: v.literal(kind), ...headParts, payload: EVENT_KINDS[kind].schema }),
    ),
    v.object({ kind: v.literal('unknown'), ...headParts, unknownKind: v.string() }),
  ]),
  v.guard((event): event is Event & typeof event => isEvent(event)),
);

export const snapshotMessageSchema: Schema<SnapshotMessage> = v.object({
  version: v.literal(STREAM_VERSION),
  daemonStart: text,
  nodeId: nodeIdSchema,
  plimsollVersion: text,
  nowMs: figure,
  state: stateSchema,
});

export const batchMessageSchema: Schema<BatchMessage> = v.object({
  nowMs: figure,
  events: v.array(eventSchema),
});

export const heartbeatMessageSchema = v.object({ nowMs: figure });

export const droppedMessageSchema: Schema<DroppedMessage> = v.object({
  reason: dropReasonSchema,
  message: v.string(),
});
