// What a node id proves: it is the hash of an ed25519 public key, and whoever signs under that key is the node. Node's own
// crypto, so not for the browser.

import { createHash, createPublicKey, verify } from 'node:crypto';
import type { NodeId } from '../core/ids.ts';
import { nodeId } from '../core/ids.ts';

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** The first 128 bits of SHA-256 of the raw public key, in lower-case base32 (RFC 4648 §6) without padding. */
export const nodeIdOf = (publicKey: Uint8Array): NodeId =>
  nodeId(base32(createHash('sha256').update(publicKey).digest().subarray(0, 16)));

/** Whether the raw public key's owner signed exactly these bytes. False for what is no key or no signature; never throws. */
export const isSignedBy = (publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean => {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = createPublicKey({
      key: Buffer.concat([SPKI_PREFIX, publicKey]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, bytes, key, signature);
  } catch {
    return false; // 32 bytes that are no point of the curve
  }
};

/** In lower case, without padding. */
export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((held >>> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32.charAt((held << (5 - bits)) & 31);
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** SubjectPublicKeyInfo of an ed25519 key up to the key itself (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
