// The port between a message and its bytes. The transport knows no codec library, and a codec no transport.

/** Bytes of the topic at the head of every message, padded with zeros. One frame: conflation loses multipart messages. */
export const TOPIC_FRAME_SIZE = 40;

export interface MessageCodec<T> {
  encode(item: T): EncodedMessage;
  /** @throws DecodeError, and only that, when the payload is not what `encode` makes. */
  decode(payload: Uint8Array): T;
  /** What a subscriber gets instead of a payload that could not be decoded; undefined: nothing. For DecodeErrors only. */
  onDecodeError(payload: Uint8Array, error: DecodeError): T | undefined;
}

export interface EncodedMessage {
  /** ASCII, at most TOPIC_FRAME_SIZE bytes. */
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** A payload of the wrong shape. Any other error out of a codec is a programming error and surfaces. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly code = 'undecodable';
}
