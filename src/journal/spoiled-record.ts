// Bit rot inside a record, which SQLite's own checks do not detect: a current record must still be what its
// origin signed. Otherwise a wrong figure would be shown as correct, and peers would repeatedly refuse it as
// forged.

import type { NodeId } from '../core/ids.ts';
import { NodeKeys, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../wire/node-signature.ts';
import { decodeRecordHead } from '../wire/record-head.ts';
import type { StoredRecord } from './journal.ts';
import type { OriginRow, SqliteRecords } from './sqlite-records.ts';

export interface OwnIdentity {
  readonly ownNode: NodeId;
  readonly ownPublicKey?: Uint8Array;
}

/** With more records a start would take too long: 0.07 ms of a core each. */
const RECORDS_CHECKED_MAX = 20_000;

/**
 * The first current record whose bytes, or whose position, are not what its origin signed, by name; those of
 * this node first. History is not checked: there is too much of it for a start.
 */
export const spoiledRecord = (
  records: SqliteRecords,
  origins: readonly OriginRow[],
  own: OwnIdentity,
): string | undefined => {
  const keys = new NodeKeys();
  let left = RECORDS_CHECKED_MAX;
  for (const origin of origins.toSorted((a, b) => rank(a, own) - rank(b, own))) {
    if (left <= 0) break;
    for (const record of records.current(origin, left)) {
      left -= 1;
      if (isSpoiled(record, keys, own)) return `${record.seq} of ${record.origin}`;
    }
  }
  return undefined;
};

const rank = ({ origin }: OriginRow, { ownNode }: OwnIdentity): number => (origin === ownNode ? 0 : 1);

/**
 * A record without a signature, or with one of an identity that this home no longer has, cannot be checked.
 */
const isSpoiled = (record: StoredRecord, keys: NodeKeys, { ownNode, ownPublicKey }: OwnIdentity): boolean => {
  const { origin, body, signature } = record;
  const hasKey = signature.length === PUBLIC_KEY_BYTES + SIGNATURE_BYTES;
  const publicKey = hasKey ? signature.subarray(0, PUBLIC_KEY_BYTES) : ownPublicKey;
  if (publicKey === undefined || signature.length < SIGNATURE_BYTES) return false;
  if (!hasKey && origin !== ownNode) return false;
  if (!keys.isSignedBy(origin, publicKey, body, signature.subarray(-SIGNATURE_BYTES))) return true;
  const head = decodeRecordHead(body);
  return (['epoch', 'seq', 'kind', 'key'] as const).some(name => head?.[name] !== record[name]);
};
