// What a relayed record must carry to be accepted: its origin's public key, whose hash is the origin's id, and that
// key's signature over the exact bytes. They are stored with the record, so it can be passed on after a restart.

import type { Event } from '../../core/event.ts';
import { eventClass, isEventKind } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { type DurableRecord, decodeRecordBody, decodeRecordHead } from '../../wire/durable-record.ts';
import { PROOF_BYTES, type WireRecord } from '../../wire/mesh-message.ts';
import { type NodeKeys, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../../wire/node-signature.ts';
import { receiptOf } from './receipt.ts';

export interface OwnProof {
  readonly nodeId: NodeId;
  readonly publicKey: Uint8Array;
}

/** Undefined for a record that others could not check: unsigned, or from an identity this home no longer has. */
export const proofOf = (record: DurableRecord, own: OwnProof): Uint8Array | undefined => {
  if (record.signature.length === PROOF_BYTES) return record.signature;
  if (record.signature.length !== SIGNATURE_BYTES || record.origin !== own.nodeId) return undefined;
  return joinedProof(own.publicKey, record.signature);
};

/** A separate buffer: a slice of a pool that is stored for days keeps the whole pool of 64 KiB in memory. */
export const joinedProof = (publicKey: Uint8Array, signature: Uint8Array): Uint8Array => {
  const proof = new Uint8Array(PROOF_BYTES);
  proof.set(publicKey);
  proof.set(signature, PUBLIC_KEY_BYTES);
  return proof;
};

type CheckedRecord =
  | {
      readonly kind: 'good';
      readonly record: DurableRecord;
      /** Undefined if this version cannot read the payload. */
      readonly event: Event | undefined;
    }
  | { readonly kind: 'forged' | 'malformed' };

/** The position is what the frame claims; `nowMs` is local. */
export const checkRecord = (
  { ageMs, proof, body }: WireRecord,
  journal: { readonly origin: NodeId; readonly epoch: number },
  { keys, nowMs }: { readonly keys: NodeKeys; readonly nowMs: number },
): CheckedRecord => {
  const publicKey = proof.subarray(0, PUBLIC_KEY_BYTES);
  if (!keys.isSignedBy(journal.origin, publicKey, body, proof.subarray(PUBLIC_KEY_BYTES)))
    return { kind: 'forged' };
  const decoded = decodeRecordBody(body, receiptOf(ageMs, nowMs));
  const event = decoded.kind === 'event' ? decoded.event : undefined;
  const head = event === undefined ? decodeRecordHead(body) : undefined;
  const { origin, epoch, seq, key } = event ?? head ?? {};
  const kind = event?.kind === 'unknown' ? event.unknownKind : (event?.kind ?? head?.kind);
  if (origin !== journal.origin || epoch !== journal.epoch) return { kind: 'malformed' };
  if (seq === undefined || key === undefined || kind === undefined) return { kind: 'malformed' };
  const isDurable = !isEventKind(kind) || eventClass(kind) === 'durable';
  return {
    kind: 'good',
    record: { origin, epoch, seq, kind, key, body, signature: proof, ageMs },
    event: isDurable ? event : undefined,
  };
};
