// The building blocks of all schemas, each with its limit. A schema is the one declaration of what is stored or sent:
// its type is inferred, and its reader, limits and documentation derive from it.

import * as v from 'valibot';
import {
  type ComparisonId,
  type DocumentId,
  isComparisonId,
  isDocumentId,
  isNodeId,
  isRunId,
  isSweepId,
  type NodeId,
  type RunId,
  type SweepId,
} from './ids.ts';
import { type Unknown, unknown } from './unknown.ts';

/** A schema for values from outside that have type `T` once they have passed. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/** The type that a schema declares, read-only at every depth. The fields' docs are those of the schema. */
export type Infer<S extends v.GenericSchema> = Frozen<v.InferOutput<S>>;

/** Leaves branded texts, bytes and values of unknown type as they are. */
export type Frozen<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | null | undefined | Uint8Array
    ? T
    : { readonly [K in keyof T]: Frozen<T[K]> };

export const TEXT_LENGTH_MAX = 1_024;
export const LIST_LENGTH_MAX = 1_024;

export const text: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
/** Characters: what fits in a line of a table. */
export const shortText: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.maxLength(300));
/** Characters: a paragraph for people. */
export const longText: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.maxLength(16_384));
export const figure: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite());
/** Bytes: an integer, not negative, exact in a double. */
export const bytes: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const count: v.GenericSchema<unknown, number> = bytes;
/** Not negative: a duration, a share of an unlimited whole. */
export const nonNegative: v.GenericSchema<unknown, number> = v.pipe(figure, v.minValue(0));
/** A counter of 64 bits may exceed the exact range of a double. */
export const counter: v.GenericSchema<unknown, number> = nonNegative;
/** 0..1 */
export const share: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** Ms, from a millisecond to a day. */
export const interval: v.GenericSchema<unknown, number> = v.pipe(
  v.number(),
  v.minValue(1),
  v.maxValue(86_400_000),
);

export const nodeIdSchema: v.GenericSchema<NodeId> = v.custom<NodeId>(isNodeId, 'not a node id');
export const runIdSchema: v.GenericSchema<RunId> = v.custom<RunId>(isRunId, 'not a run id');
/** The id of a run where the program keeps it as plain text. */
export const runIdText: v.GenericSchema<unknown, string> = runIdSchema;
export const sweepIdSchema: v.GenericSchema<unknown, SweepId> = v.custom<SweepId>(
  isSweepId,
  'not the id of a sweep',
);
export const comparisonIdSchema: v.GenericSchema<unknown, ComparisonId> = v.custom<ComparisonId>(
  isComparisonId,
  'not the id of a comparison',
);
export const documentIdSchema: v.GenericSchema<unknown, DocumentId> = v.custom<DocumentId>(
  isDocumentId,
  'not the id of a document',
);

/**
 * An object with these fields. Additional fields, from a version that sends more, are kept unchanged, so that
 * views, streams and recordings lose nothing. Above the limits, or with the name of an inherited property,
 * they are left out here; the bytes of a record contain them in any case.
 */
// @__NO_SIDE_EFFECTS__
export const openObject = <const E extends v.ObjectEntries>(entries: E): v.ObjectSchema<E, undefined> => {
  const known = v.object(entries);
  return {
    ...known,
    // Not v.looseObject with an action after it: for a live event that takes twice the time.
    '~run': (dataset, config) => {
      const sent = dataset.value;
      const read = known['~run'](Array.isArray(sent) ? { value: undefined } : dataset, config);
      if (read.typed) keepUnread(read.value, sent, entries);
      return read;
    },
  };
};

export const unknownSchema: v.GenericSchema<unknown, Unknown> = openObject({
  kind: v.literal('unknown'),
  reason: text,
  code: v.exactOptional(text),
});

// @__NO_SIDE_EFFECTS__
export const orUnknown = <T>(schema: Schema<T>): Schema<T | Unknown> => ({
  ...v.union([unknownSchema, schema]),
  // A union tries one option after the other; here the right one is visible at once.
  '~run': (dataset, config) =>
    (isUnknownKind(dataset.value) ? unknownSchema : schema)['~run'](dataset, config),
});

/**
 * A value that a source may be unable to report. It is also the one way to add a field: an older version does
 * not send it, and its absence means only that. docs/decisions/0016.
 */
// @__NO_SIDE_EFFECTS__
export const reported = <T>(schema: Schema<T>): Schema<T | Unknown> =>
  v.exactOptional(orUnknown(schema), NOT_REPORTED);

/** The same for a field that some sources leave out of what they report: it is optional until it has been sent. */
// @__NO_SIDE_EFFECTS__
export const reportedBySome = <T>(
  schema: Schema<T>,
): v.ExactOptionalSchema<Schema<T | Unknown>, Unknown | undefined> =>
  v.exactOptional(orUnknown(schema), NOT_REPORTED);

export const NOT_REPORTED: Unknown = unknown('not reported by that version');

/** All of these unknown, for one reason. */
export const allUnknown = <const E extends v.ObjectEntries>(
  entries: E,
  why: Unknown,
): v.InferOutput<v.ObjectSchema<E, undefined>> =>
  v.parse(v.object(entries), Object.fromEntries(Object.keys(entries).map(name => [name, why])));

/** A field that may be left out; a sender may also give a reason for that, which nobody needs. */
// @__NO_SIDE_EFFECTS__
export const given = <T>(schema: Schema<T>): v.ExactOptionalSchema<Schema<T | undefined>, undefined> => ({
  ...v.exactOptional<Schema<T | undefined>>(schema),
  '~run': (dataset, config) =>
    dataset.value === undefined || isUnknownKind(dataset.value)
      ? { typed: true, value: undefined }
      : schema['~run'](dataset, config),
});

// @__NO_SIDE_EFFECTS__
export const list = <T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T[]> =>
  v.pipe(v.array(schema), v.maxLength(LIST_LENGTH_MAX));

const isUnknownKind = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'unknown';

const keepUnread = (read: object, sent: unknown, known: object): void => {
  if (typeof sent !== 'object' || sent === null) return;
  let room = UNREAD_FIELDS_MAX;
  for (const name in sent) {
    // Also if it is an inherited name, "constructor" or "__proto__".
    if (name in known) continue;
    room -= 1;
    if (room < 0) return;
    const field: unknown = Reflect.get(sent, name);
    if (name.length <= NAME_LENGTH_MAX && isSmall(field)) Reflect.set(read, name, field);
  }
};

const isSmall = (field: unknown): boolean => {
  let room = UNREAD_VALUES_MAX;
  const fits = (value: unknown, depth: number): boolean => {
    room -= 1;
    if (room < 0 || depth > UNREAD_DEPTH_MAX) return false;
    if (typeof value === 'string') return value.length <= TEXT_LENGTH_MAX;
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) return value.every(inner => fits(inner, depth + 1));
    return Object.entries(value).every(
      ([name, inner]) => name !== '__proto__' && name.length <= NAME_LENGTH_MAX && fits(inner, depth + 1),
    );
  };
  return fits(field, 1);
};

/**
 * A value without the fields that are not in its schema, at any depth: for code that must recognise every
 * field.
 */
export const knownPart = (schema: v.GenericSchema, value: unknown): unknown => {
  const { entries, options, item, wrapped, value: inner }: SchemaParts = schema;
  const chosen = wrapped ?? options?.find(option => isSchema(option) && v.is(option, value));
  if (isSchema(chosen)) return knownPart(chosen, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return item === undefined ? value : value.map(one => knownPart(item, one));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const known =
        inner ?? (entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined);
      return known === undefined ? [] : [[name, knownPart(known, inside)]];
    }),
  );
};

interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly options?: readonly unknown[];
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  /** For a map whose keys are values themselves. */
  readonly value?: v.GenericSchema;
}

const isSchema = (option: unknown): option is v.GenericSchema =>
  typeof option === 'object' && option !== null && 'kind' in option && option.kind === 'schema';

/** A moment as it is written, with its zone. */
export const isoTime: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.maxLength(40),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/),
);

/** Limits for unknown fields of one object: their number, their depth and the values in each. */
export const UNREAD_FIELDS_MAX = 64;
export const UNREAD_DEPTH_MAX = 8;
export const UNREAD_VALUES_MAX = 1_024;
const NAME_LENGTH_MAX = 64;
