// A request to a direct peer and its reply, as frames of a mesh link: two bytes of version and type like
// every other mesh message, then JSON. Older peers skip the types as unknown. Decoding never throws.

import { isJsonObject } from '../core/json.ts';
import { MESH_PROTOCOL_VERSION } from './mesh-message.ts';
import { isNestedTooDeep } from './shallow-json.ts';

/** Limit for a whole frame. */
export const REQUEST_BYTES_MAX = 65_536;
const TOPIC_LENGTH_MAX = 64;
export const REFUSAL_LENGTH_MAX = 300;

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export type RequestMessage =
  | {
      readonly kind: 'ask';
      /** Chosen by the requester; identifies the reply on this link. */
      readonly id: number;
      readonly topic: string;
      /** How long the requester waits. */
      readonly timeoutMs: number;
      readonly body: JsonValue;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly body: JsonValue }
  /** For people: why there is no reply. */
  | { readonly kind: 'refusal'; readonly id: number; readonly reason: string };

type DecodedRequest =
  | { readonly kind: 'message'; readonly message: RequestMessage }
  | { readonly kind: 'malformed'; readonly reason: string };

/** Undefined if the frame would be longer than REQUEST_BYTES_MAX. */
export const encodeRequest = (message: RequestMessage): Uint8Array | undefined => {
  const { kind, ...fields } = message;
  const text = Buffer.from(JSON.stringify(fields), 'utf8');
  if (text.length + 2 > REQUEST_BYTES_MAX) return undefined;
  const frame = new Uint8Array(2 + text.length);
  frame[0] = MESH_PROTOCOL_VERSION;
  frame[1] = kind === 'ask' ? REQUEST_TYPE : ANSWER_TYPE;
  frame.set(text, 2);
  return frame;
};

/** Whether a frame belongs here rather than to replication. */
export const isRequestFrame = (frame: Uint8Array): boolean =>
  frame[0] === MESH_PROTOCOL_VERSION && (frame[1] === REQUEST_TYPE || frame[1] === ANSWER_TYPE);

export const decodeRequest = (frame: Uint8Array): DecodedRequest => {
  if (frame.length > REQUEST_BYTES_MAX) return malformed('longer than a request may be');
  const value = parsed(frame.subarray(2));
  if (value === undefined) return malformed('not a JSON object');
  const { id, topic, timeoutMs, body, reason } = value;
  if (!isId(id)) return malformed('without an id');
  if (frame[1] === REQUEST_TYPE) {
    if (typeof topic !== 'string' || topic === '' || topic.length > TOPIC_LENGTH_MAX)
      return malformed('without a topic');
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0) || body === undefined)
      return malformed('not a request');
    return { kind: 'message', message: { kind: 'ask', id, topic, timeoutMs, body } };
  }
  if (typeof reason === 'string') {
    const refusal = { kind: 'refusal' as const, id, reason: reason.slice(0, REFUSAL_LENGTH_MAX) };
    return { kind: 'message', message: refusal };
  }
  if (body === undefined) return malformed('a reply without a body');
  return { kind: 'message', message: { kind: 'answer', id, body } };
};

const parsed = (bytes: Uint8Array): { readonly [name: string]: JsonValue } | undefined => {
  const text = decodedText(bytes);
  if (text === undefined || isNestedTooDeep(text)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const decodedText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const isId = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const malformed = (reason: string): DecodedRequest => ({ kind: 'malformed', reason });

/** Follows the types of mesh-message.ts, which end at 8. */
const REQUEST_TYPE = 9;
const ANSWER_TYPE = 10;
