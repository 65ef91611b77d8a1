// Describes bytes that are not the start of an HTTP/1.x reply: a front end that supports only HTTP/2 begins with a
// settings frame, which an HTTP/1.1 client sees as noise.

import { HTTP2_ONLY } from '../../../core/run/connection-problems.ts';

/** @param bytes the first that arrived */
export const notHttp1 = (bytes: Uint8Array): string =>
  isHttp2(bytes) ? HTTP2_ONLY : 'the reply is not HTTP/1.x';

/** A SETTINGS or GOAWAY frame: type 4 or 7 on stream 0 (RFC 9113 §4.1, §6.5, §6.8). */
export const isHttp2 = (bytes: Uint8Array): boolean =>
  bytes.length >= FRAME_HEAD_BYTES &&
  (bytes[3] === SETTINGS || bytes[3] === GOAWAY) &&
  bytes.subarray(5, FRAME_HEAD_BYTES).every(byte => byte === 0) &&
  bytes[0] === 0;

const FRAME_HEAD_BYTES = 9;
const SETTINGS = 4;
const GOAWAY = 7;
