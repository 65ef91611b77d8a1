// Snapshots as bytes: MessagePack on the wire, small and fast; strict JSON on disk, readable by people. Both
// contain their version and are checked when they are read.

import { decode, encode } from '@msgpack/msgpack';
import * as v from 'valibot';
import { isJsonObject } from '../core/json.ts';
import { type MetricsSnapshot, SERIES_CELLS_BYTES_MAX, snapshotSchema } from '../core/run/snapshot.ts';
import { DecodeError } from './decode-error.ts';
import { isNestedTooDeep, isPackedTooDeep } from './shallow-json.ts';

const SNAPSHOT_SCHEMA = 'plimsoll.snapshot/1';
/** Limit for one snapshot, on the wire and on disk. */
export const SNAPSHOT_BYTES_MAX: number = 8 * 1024 * 1024;

/** MessagePack of [schema, snapshot], in a separate buffer. */
export const encodeSnapshotPacked = (snapshot: MetricsSnapshot): Uint8Array =>
  encode([SNAPSHOT_SCHEMA, snapshot], { ignoreUndefined: true });

/** @throws DecodeError when it is not a snapshot of this version. */
export const decodeSnapshotPacked = (bytes: Uint8Array): MetricsSnapshot => {
  if (bytes.length > SNAPSHOT_BYTES_MAX)
    throw new DecodeError(`a snapshot of ${bytes.length} bytes is too large`);
  const message = unpack(bytes);
  if (!Array.isArray(message) || message.length !== 2) throw new DecodeError('not a snapshot');
  const [schema, snapshot]: unknown[] = message;
  return checked(schema, snapshot);
};

/**
 * Strict JSON, one object with `schema` first, ended by a line feed. A figure that is not finite, which JSON
 * cannot represent, is null.
 */
export const snapshotToJson = (snapshot: MetricsSnapshot): string =>
  `${JSON.stringify({ schema: SNAPSHOT_SCHEMA, ...snapshot }, withoutCells, 2)}\n`;

/** Cells are only for a coordinator; the file on disk contains the exact figures. */
const withoutCells = (name: string, value: unknown): unknown =>
  name === 'cells' || name === 'boundParts' ? undefined : value;

/**
 * Percentiles, counters and bounds that are null instead of a figure are left out: one bad figure must not
 * cost a run its report.
 * @throws DecodeError when it is not a snapshot of this version.
 */
export const snapshotFromJson = (text: string): MetricsSnapshot => {
  if (text.length > SNAPSHOT_BYTES_MAX)
    throw new DecodeError(`a snapshot of ${text.length} characters is too large`);
  const message = parse(text);
  if (!isJsonObject(message)) throw new DecodeError('not a snapshot');
  const { schema, ...snapshot } = message;
  return checked(schema, withoutNulls(snapshot));
};

const checked = (schema: unknown, snapshot: unknown): MetricsSnapshot => {
  if (schema !== SNAPSHOT_SCHEMA)
    throw new DecodeError(
      `a snapshot of schema ${typeof schema === 'string' ? schema.slice(0, 100) : typeof schema} is not known`,
    );
  const result = v.safeParse(snapshotSchema, snapshot);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(
    `a snapshot is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message.slice(0, 200)}`,
  );
};

const unpack = (bytes: Uint8Array): unknown => {
  if (isPackedTooDeep(bytes)) throw new DecodeError('not MessagePack, or nested too deep');
  try {
    return decode(bytes, UNPACK_BOUNDS);
  } catch (error) {
    // Any error that it throws, RangeError and its own Error, is about the bytes, its only input.
    throw new DecodeError('not MessagePack', { cause: error });
  }
};

const parse = (text: string): unknown => {
  if (isNestedTooDeep(text)) throw new DecodeError('nested too deep');
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new DecodeError('not JSON', { cause: error });
  }
};

const withoutNulls = (snapshot: Record<string, unknown>): Record<string, unknown> => {
  const { metrics } = snapshot;
  if (!Array.isArray(metrics)) return snapshot;
  const kept: unknown[] = metrics
    .filter(metric => !(isJsonObject(metric) && metric['kind'] === 'counter' && metric['value'] === null))
    .map(metric =>
      isJsonObject(metric) && isJsonObject(metric['percentiles'])
        ? { ...metric, percentiles: withoutNullEntries(metric['percentiles']) }
        : metric,
    );
  return { ...snapshot, metrics: kept };
};

const withoutNullEntries = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

const UNPACK_BOUNDS = {
  maxStrLength: 1_024,
  maxBinLength: SERIES_CELLS_BYTES_MAX,
  maxArrayLength: 4_096,
  maxMapLength: 1_024,
  maxExtLength: 0,
} as const;
