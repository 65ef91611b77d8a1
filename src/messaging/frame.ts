// A message on the wire: one frame, the topic padded with zeros to TOPIC_FRAME_SIZE bytes, then the payload. Topics that
// start with '~' belong to the transport itself (handshake, end of stream).

import { PAYLOAD_BYTES_MAX, TOPIC_FRAME_SIZE } from './codec.ts';

export const CONTROL_TOPIC_PREFIX = '~';

export interface Frame {
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** @throws RangeError for a topic that is empty, too long, or not printable ASCII. */
export const encodeFrame = (topic: string, payload: Uint8Array): Uint8Array => {
  if (!TOPIC.test(topic)) {
    throw new RangeError(`a topic is 1 to ${TOPIC_FRAME_SIZE} printable ASCII characters, not '${topic}'`);
  }
  const frame = Buffer.allocUnsafe(TOPIC_FRAME_SIZE + payload.length);
  frame.write(topic, 0, 'latin1');
  frame.fill(0, topic.length, TOPIC_FRAME_SIZE);
  frame.set(payload, TOPIC_FRAME_SIZE);
  return frame;
};

/** @throws RangeError for a topic reserved for the transport, a payload past its limit, and as encodeFrame does. */
export const encodeMessageFrame = (topic: string, payload: Uint8Array): Uint8Array => {
  if (topic.startsWith(CONTROL_TOPIC_PREFIX)) {
    throw new RangeError(
      `topics that start with '${CONTROL_TOPIC_PREFIX}' are the transport's own: '${topic}'`,
    );
  }
  if (payload.length > PAYLOAD_BYTES_MAX) {
    throw new RangeError(`a payload has at most ${PAYLOAD_BYTES_MAX} bytes, not ${payload.length}`);
  }
  return encodeFrame(topic, payload);
};

/** undefined if no publisher of ours sends it. The payload is a view of the frame. */
export const decodeFrame = (frame: Uint8Array): Frame | undefined => {
  if (frame.length < TOPIC_FRAME_SIZE) return undefined;
  const head = frame.subarray(0, TOPIC_FRAME_SIZE);
  const end = head.indexOf(0);
  const topic = Buffer.from(head.buffer, head.byteOffset, end === -1 ? TOPIC_FRAME_SIZE : end).toString(
    'latin1',
  );
  if (!TOPIC.test(topic)) return undefined;
  return { topic, payload: frame.subarray(TOPIC_FRAME_SIZE) };
};

const TOPIC = /^[\x20-\x7e]{1,40}$/;
