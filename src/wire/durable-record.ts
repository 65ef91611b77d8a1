// The bytes of a durable event, and the record that journals store and peers relay. The origin makes the bytes once; they are
// passed on verbatim, and the signature is over exactly them.

import type { Event, EventHead } from '../core/event.ts';
import { type Fact, factKey } from '../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { decodeFact, KEY_LENGTH_MAX } from './event-schema.ts';
import { parseShallowObject } from './shallow-json.ts';

export const RECORD_VERSION = 1;
/** Limit for one record's body. */
export const RECORD_BYTES_MAX = 1_048_576;

interface RecordPosition {
  readonly origin: NodeId;
  readonly epoch: number;
  /** From 1, gapless in (origin, epoch). */
  readonly seq: number;
}

interface RecordHead extends RecordPosition {
  readonly kind: string;
  readonly key: string;
}

/** A durable event as it is stored and relayed. */
export interface DurableRecord extends RecordHead {
  /** The origin's exact bytes, never encoded again. */
  readonly body: Uint8Array;
  /**
   * ed25519, 64 bytes, of the own node's records; for others, preceded by the raw public key, 96 bytes, as
   * received, so that they contain their proof when relayed. Empty if the origin does not sign.
   */
  readonly signature: Uint8Array;
  /** Of its event, when it was handed over: to the journal, or by it for a peer, ms. */
  readonly ageMs: number;
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

/**
 * The position of a record, read without its payload: enough to store and relay a newer version's record that this one
 * cannot read. For a body in any version that has these five names; undefined for anything else. Never throws.
 */
export const decodeRecordHead = (body: Uint8Array): RecordHead | undefined => {
  const record = parse(body);
  if (typeof record !== 'object' || record === null) return undefined;
  const { origin, epoch, seq, kind, key } = record;
  if (!isNodeId(origin) || !isPosition(epoch) || !isPosition(seq)) return undefined;
  if (typeof kind !== 'string' || !KIND.test(kind)) return undefined;
  if (typeof key !== 'string' || key.length > KEY_LENGTH_MAX) return undefined;
  return { origin, epoch, seq, kind, key };
};

const parse = (body: Uint8Array): { readonly [name: string]: unknown } | null => {
  if (body.length > RECORD_BYTES_MAX) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
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

/** "slot.verb", as in event-schema.ts. */
const KIND = /^[a-z][A-Za-z0-9]{0,39}\.[a-z][A-Za-z0-9]{0,39}$/;
