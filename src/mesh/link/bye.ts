// Why the other end closes the link: a code, and a short text for people.

import { showable } from '../../core/text/single-line.ts';
import type { CloseReason } from '../mesh.ts';

export const encodeBye = (reason: CloseReason, detail: string): Uint8Array => {
  const words = new TextEncoder().encode(detail.slice(0, DETAIL_CHARACTERS_MAX));
  const payload = new Uint8Array(1 + words.length);
  payload[0] = CODES.indexOf(reason);
  payload.set(words, 1);
  return payload;
};

/** Never throws: an unreadable reason counts as a lost connection. */
export const decodeBye = (payload: Uint8Array): { readonly reason: CloseReason; readonly detail: string } => {
  const reason = CODES[payload[0] ?? CODES.length] ?? 'lost';
  // The text reaches terminals and logs.
  const words = new TextDecoder().decode(payload.subarray(1, 1 + 4 * DETAIL_CHARACTERS_MAX));
  return { reason, detail: showable(words, '?').slice(0, DETAIL_CHARACTERS_MAX) };
};

const DETAIL_CHARACTERS_MAX = 200;
/** Encoded by position: never reorder. */
const CODES: readonly CloseReason[] = [
  'stopped',
  'silent',
  'lost',
  'duplicate',
  'replaced',
  'identity-in-use',
  'overflow',
  'malformed',
  'key-removed',
];
