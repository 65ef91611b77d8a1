// The position of a record, read without its payload: enough to store and relay a newer version's record that
// this one cannot read.

import { isNodeId, type NodeId } from '../core/ids.ts';
import { RECORD_BYTES_MAX } from './durable-record.ts';
import { KEY_LENGTH_MAX } from './event-schema.ts';

interface RecordHead {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
}

/**
 * For a body in any version of the record that has these five names; undefined for anything else. Never
 * throws.
 */
export const decodeRecordHead = (body: Uint8Array): RecordHead | undefined => {
  const record = parse(body);
  if (typeof record !== 'object' || record === null) return undefined;
  const { origin, epoch, seq, kind, key } = record;
  if (!isNodeId(origin) || !isWhole(epoch) || !isWhole(seq)) return undefined;
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

const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** "slot.verb", as in event-schema.ts. */
const KIND = /^[a-z][A-Za-z0-9]{0,39}\.[a-z][A-Za-z0-9]{0,39}$/;
