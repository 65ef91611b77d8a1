// Request and reply of a reachability check, 52 bytes each: a reply is never longer than its request, so a
// node cannot be used to amplify traffic. Neither contains an id: the sender expects a particular node, and
// only that node's reply matches this nonce.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { NodeId } from '../../core/ids.ts';

export interface Question {
  /** NONCE_BYTES, new for each request. */
  readonly nonce: Uint8Array;
  /** The key that it was tagged with; the reply is tagged with the same key. */
  readonly key: CheckKey;
}

/** A key object: raw bytes would be converted each time, at six times the cost of the check itself. */
export type CheckKey = KeyObject;

/** @param secret from `deriveSecret(clusterKey, 'reachability')`. */
export const checkKey = (secret: Uint8Array): CheckKey => createSecretKey(secret);

export const encodeQuestion = ({ nonce, key }: Question): Uint8Array =>
  encode(QUESTION, nonce, questionTag(nonce, key));

/** Undefined if it is not a request under one of these keys. Never throws. */
export const readQuestion = (bytes: Uint8Array, keys: readonly CheckKey[]): Question | undefined => {
  if (!hasShape(bytes, QUESTION)) return undefined;
  const nonce = nonceIn(bytes);
  // Each key is tried, so timing does not reveal which one fits.
  const fitting = keys.filter(key => timingSafeEqual(questionTag(nonce, key), bytes.subarray(AT_TAG)));
  const [key] = fitting;
  return key === undefined ? undefined : { nonce, key };
};

export const encodeAnswer = ({ nonce, key }: Question, responder: NodeId): Uint8Array =>
  encode(ANSWER, nonce, answerTag({ nonce, key }, responder));

/** The nonce of the request that it claims to answer; undefined if it does not have the shape of a reply. */
export const answeredNonce = (bytes: Uint8Array): Uint8Array | undefined =>
  hasShape(bytes, ANSWER) ? nonceIn(bytes) : undefined;

/** @param bytes from which `answeredNonce` read the request's nonce. */
export const isAnswerOf = (bytes: Uint8Array, question: Question, responder: NodeId): boolean =>
  timingSafeEqual(answerTag(question, responder), bytes.subarray(AT_TAG));

const encode = (magic: Buffer, nonce: Uint8Array, tag: Buffer): Uint8Array => {
  const bytes = Buffer.allocUnsafe(CHECK_BYTES);
  magic.copy(bytes);
  bytes.set(nonce, AT_NONCE);
  tag.copy(bytes, AT_TAG);
  return bytes;
};

const hasShape = (bytes: Uint8Array, magic: Buffer): boolean =>
  bytes.length === CHECK_BYTES && magic.every((byte, index) => bytes[index] === byte);

const nonceIn = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.subarray(AT_NONCE, AT_TAG));

const questionTag = (nonce: Uint8Array, key: CheckKey): Buffer =>
  createHmac('sha256', key).update(QUESTION).update(nonce).digest();

const answerTag = ({ nonce, key }: Question, responder: NodeId): Buffer =>
  createHmac('sha256', key).update(ANSWER).update(nonce).update(responder).digest();

export const NONCE_BYTES = 16;
/** The last character is the version of this layout. */
const QUESTION = Buffer.from('PLQ1');
const ANSWER = Buffer.from('PLA1');
const AT_NONCE = 4;
const AT_TAG = AT_NONCE + NONCE_BYTES;
export const CHECK_BYTES: number = AT_TAG + 32;
