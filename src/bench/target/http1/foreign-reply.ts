// What begins like no reply of HTTP/1.x, in words: a front end that takes HTTP/2 alone begins with a frame of settings, and to a client
// of HTTP/1.1 that looks like noise.

import { HTTP2_ONLY } from '../../../core/run/connection-problems.ts';

/** @param bytes the first that came */
export const notHttp1 = (bytes: Uint8Array): string =>
  isHttp2(bytes) ? HTTP2_ONLY : 'the reply is not HTTP/1.x';

/** A frame of connection settings, or one that says goodbye: type 4 or 7 on stream 0 (RFC 9113 §4.1, §6.5, §6.8). */
export const isHttp2 = (bytes: Uint8Array): boolean =>
  bytes.length >= FRAME_HEAD_BYTES &&
  (bytes[3] === SETTINGS || bytes[3] === GOAWAY) &&
  bytes.subarray(5, FRAME_HEAD_BYTES).every(byte => byte === 0) &&
  bytes[0] === 0;

const FRAME_HEAD_BYTES = 9;
const SETTINGS = 4;
const GOAWAY = 7;
