// The port between a message and its bytes. The transport does not know the codec library, and codecs do not know the
// transport.

import type { DecodeError } from '../wire/decode-error.ts';

/** Bytes of the topic at the head of every message, padded with zeros. One frame: conflation loses multipart messages. */
export const TOPIC_FRAME_SIZE = 40;

/**
 * Limit for one payload. A subscriber closes a connection that sends more, so the publisher refuses it first.
 */
export const PAYLOAD_BYTES_MAX: number = 16 * 1024 * 1024;

export interface MessageCodec<T> {
  encode(item: T): EncodedMessage;
  /** @throws DecodeError, and only that, when the payload is not what `encode` makes. */
  decode(payload: Uint8Array): T;
  /** What a subscriber gets instead of a payload that could not be decoded; undefined: nothing. For DecodeErrors only. */
  onDecodeError(payload: Uint8Array, error: DecodeError): T | undefined;
}

interface EncodedMessage {
  /** Printable ASCII, 1 to TOPIC_FRAME_SIZE bytes, not starting with CONTROL_TOPIC_PREFIX. */
  readonly topic: string;
  /** At most PAYLOAD_BYTES_MAX. */
  readonly payload: Uint8Array;
}
