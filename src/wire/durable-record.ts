// The bytes of a durable event. The origin makes them once; journals store and peers relay them verbatim, and
// the signature is over exactly these bytes.

import type { Event, EventHead } from '../core/event.ts';
import { type Fact, factKey } from '../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { decodeFact } from './event-schema.ts';
import { parseShallowObject } from './shallow-json.ts';

export const RECORD_VERSION = 1;
/** Limit for one record's body. */
export const RECORD_BYTES_MAX = 1_048_576;

interface RecordPosition {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly seq: number;
}

/**
 * UTF-8 JSON: {"version","origin","epoch","seq","nonce","kind","key","payload"}. `nonce`: random, of one start of the origin, so that
 * two of its lives never sign the same bytes for one position; nothing reads it.
 */
export const encodeRecordBody = (position: RecordPosition, fact: Fact, nonce?: string): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      version: RECORD_VERSION,
      origin: position.origin,
      epoch: position.epoch,
      seq: position.seq,
      nonce,
      kind: fact.kind,
      key: factKey(fact),
      payload: fact.payload,
    }),
  );

export type DecodedRecord =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'refused'; readonly reason: string };

/** Never throws: an invalid body is refused with its reason. */
export const decodeRecordBody = (
  body: Uint8Array,
  receipt: { readonly ageMs: number; readonly receivedAtMs: number },
): DecodedRecord => {
  if (body.length > RECORD_BYTES_MAX)
    return { kind: 'refused', reason: `a record of ${body.length} bytes is too large` };
  const record = parseShallowObject(body);
  if (record === undefined) return { kind: 'refused', reason: 'not JSON, or nested too deep' };
  const { version, origin, epoch, seq, kind, key, payload } = record;
  if (version !== RECORD_VERSION)
    return { kind: 'refused', reason: `record version ${shownVersion(version)} is not known` };
  if (!isNodeId(origin)) return { kind: 'refused', reason: 'origin is not a node id' };
  if (!isPosition(epoch) || !isPosition(seq))
    return { kind: 'refused', reason: 'epoch or seq is not a whole number' };
  if (typeof kind !== 'string' || typeof key !== 'string')
    return { kind: 'refused', reason: 'kind or key is missing' };
  const head: EventHead = { origin, epoch, seq, class: 'durable', key, ...receipt };
  const decoded = decodeFact(kind, key, payload);
  switch (decoded.kind) {
    case 'known':
      return { kind: 'event', event: { ...head, ...decoded.fact } };
    case 'unknown':
      return {
        kind: 'event',
        event: { ...head, kind: 'unknown', unknownKind: decoded.unknownKind },
      };
    case 'refused':
      return decoded;
    default:
      return decoded satisfies never;
  }
};

/** The payload of a record, unchecked; undefined if the bytes are no record with one. */
export const recordPayload = (body: Uint8Array): JsonObject | undefined => {
  const payload = parseShallowObject(body)?.['payload'];
  return isJsonObject(payload) ? payload : undefined;
};

/** Any JSON value: not all of them have a text of their own. */
const shownVersion = (version: unknown): string => (JSON.stringify(version) ?? 'missing').slice(0, 40);

const isPosition = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
