// Question and answer of a reachability check, 52 bytes each: an answer is never longer than what asked for it, so that nobody
// can use a node to multiply traffic. No id stands in either: the asker knows whom it expects, and only that node's answer to
// this nonce fits.

import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { NodeId } from '../../core/ids.ts';

export interface Question {
  /** NONCE_BYTES, new for each question. */
  readonly nonce: Uint8Array;
  /** The key that it was tagged with; the answer is tagged with the same. */
  readonly key: CheckKey;
}

/** Bytes would be made a key of anew each time: six times the cost of the check itself. */
export type CheckKey = KeyObject;

/** @param secret from `deriveSecret(clusterKey, 'reachability')`. */
export const checkKey = (secret: Uint8Array): CheckKey => createSecretKey(secret);

export const encodeQuestion = ({ nonce, key }: Question): Uint8Array =>
  encode(QUESTION, nonce, questionTag(nonce, key));

/** Undefined for whatever is no question under one of these keys. Never throws. */
export const readQuestion = (bytes: Uint8Array, keys: readonly CheckKey[]): Question | undefined => {
  if (!hasShape(bytes, QUESTION)) return undefined;
  const nonce = nonceIn(bytes);
  // Each key is tried, so that the time tells nothing about which one fits.
  const fitting = keys.filter(key => timingSafeEqual(questionTag(nonce, key), bytes.subarray(AT_TAG)));
  const [key] = fitting;
  return key === undefined ? undefined : { nonce, key };
};

export const encodeAnswer = ({ nonce, key }: Question, responder: NodeId): Uint8Array =>
  encode(ANSWER, nonce, answerTag({ nonce, key }, responder));

/** Which question it claims to answer; undefined for whatever has not the shape of an answer. */
export const answeredNonce = (bytes: Uint8Array): Uint8Array | undefined =>
  hasShape(bytes, ANSWER) ? nonceIn(bytes) : undefined;

/** @param bytes of which `answeredNonce` gave the question's nonce. */
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
