// How both ends of a probe prove that they have the same one-time ticket without sending it: each sends a
// nonce and an HMAC-SHA-256 over both nonces. The dialling end proves first, so a stranger who dials learns
// nothing.
//
//   sink → source   16 bytes of protocol name, 32 of nonce
//   source → sink    8 bytes of head (role, index, run), 32 of nonce, 32 of proof
//   sink → source    1 byte of verdict, 32 of proof

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

type ConnectionRole = 'control' | 'data';

export interface ConnectionHead {
  readonly role: ConnectionRole;
  /** Index of a data connection among those of its run, from 0. */
  readonly index: number;
  /** Which measurement a data connection belongs to; 0 for control. */
  readonly run: number;
}

export type TicketVerdict = 'accepted' | 'busy';

export const GREETING_BYTES: number = 48;
export const CLAIM_BYTES: number = 72;
export const ANSWER_BYTES: number = 33;

export const makeNonce = (): Buffer => randomBytes(NONCE_BYTES);

export const greeting = (sinkNonce: Buffer): Buffer => Buffer.concat([PROTOCOL, sinkNonce]);

/** The sink's nonce; undefined if the other end is not a sink of this protocol. */
export const readGreeting = (bytes: Buffer): Buffer | undefined =>
  bytes.subarray(0, PROTOCOL.length).equals(PROTOCOL) ? bytes.subarray(PROTOCOL.length) : undefined;

export interface Nonces {
  readonly sinkNonce: Buffer;
  readonly sourceNonce: Buffer;
}

export const claim = (ticket: string, head: ConnectionHead, nonces: Nonces): Buffer => {
  const headBytes = writeHead(head);
  return Buffer.concat([headBytes, nonces.sourceNonce, proof(ticket, 'source', headBytes, nonces)]);
};

export type Claim =
  | {
      readonly kind: 'proved';
      readonly head: ConnectionHead;
      readonly nonces: Nonces;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'not-proved' };

export const readClaim = (ticket: string, bytes: Buffer, sinkNonce: Buffer): Claim => {
  const headBytes = bytes.subarray(0, HEAD_BYTES);
  const nonces = { sinkNonce, sourceNonce: bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES) };
  const given = bytes.subarray(HEAD_BYTES + NONCE_BYTES);
  const head = readHead(headBytes);
  const isProved = isSame(given, proof(ticket, 'source', headBytes, nonces));
  return isProved && head !== undefined
    ? { kind: 'proved', head, nonces, bytes: headBytes }
    : { kind: 'not-proved' };
};

export const answer = (ticket: string, verdict: TicketVerdict, headBytes: Buffer, nonces: Nonces): Buffer => {
  const verdictByte = Buffer.of(VERDICTS.indexOf(verdict));
  return Buffer.concat([verdictByte, proof(ticket, 'sink', Buffer.concat([headBytes, verdictByte]), nonces)]);
};

/** undefined if the other end does not prove that it has the ticket. */
export const readAnswer = (
  ticket: string,
  bytes: Buffer,
  head: ConnectionHead,
  nonces: Nonces,
): TicketVerdict | undefined => {
  const expected = proof(ticket, 'sink', Buffer.concat([writeHead(head), bytes.subarray(0, 1)]), nonces);
  return isSame(bytes.subarray(1), expected) ? VERDICTS[bytes[0] ?? VERDICTS.length] : undefined;
};

const proof = (ticket: string, side: 'source' | 'sink', head: Buffer, nonces: Nonces): Buffer =>
  createHmac('sha256', ticket)
    .update(`${PROTOCOL.toString('latin1')} ${side} `)
    .update(nonces.sinkNonce)
    .update(nonces.sourceNonce)
    .update(head)
    .digest();

const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

const writeHead = ({ role, index, run }: ConnectionHead): Buffer => {
  const bytes = Buffer.alloc(HEAD_BYTES);
  bytes.writeUInt8(ROLES.indexOf(role), 0);
  bytes.writeUInt8(index, 1);
  bytes.writeUInt16BE(run, 2);
  return bytes;
};

const readHead = (bytes: Buffer): ConnectionHead | undefined => {
  const role = ROLES[bytes[0] ?? ROLES.length];
  return role === undefined ? undefined : { role, index: bytes.readUInt8(1), run: bytes.readUInt16BE(2) };
};

const PROTOCOL: Buffer = Buffer.from('plimsoll-probe/1', 'latin1');
const NONCE_BYTES = 32;
const HEAD_BYTES = 8;
const ROLES: readonly ConnectionRole[] = ['control', 'data'];
const VERDICTS: readonly TicketVerdict[] = ['accepted', 'busy'];
