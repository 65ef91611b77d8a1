// What a node id proves: it is the hash of an ed25519 public key, and the owner of that key is the node. Uses
// Node's own crypto, so it does not run in the browser.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type NodeId, nodeId } from '../core/ids.ts';

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** The first 128 bits of SHA-256 of the raw public key, in lower-case base32 (RFC 4648 §6) without padding. */
export const nodeIdOf = (publicKey: Uint8Array): NodeId =>
  nodeId(base32(createHash('sha256').update(publicKey).digest().subarray(0, 16)));

/**
 * Whether the raw public key's owner signed exactly these bytes. False for an invalid key or signature; never
 * throws.
 */
export const isSignedBy = (publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean => {
  const key = keyOf(publicKey);
  return key !== undefined && isGood(key, bytes, signature);
};

/** Keys of nodes that sign repeatedly. Importing a key costs a third of verifying a signature. */
export const NODE_KEYS_MAX = 1_024;

/** `nodeIdOf` and `isSignedBy` combined, for checking many signatures of few nodes. */
export class NodeKeys {
  readonly #keys = new Map<NodeId, { readonly raw: Buffer; readonly key: KeyObject }>();

  /** Whether this raw public key is the node's, and its owner signed exactly these bytes. Never throws. */
  isSignedBy(node: NodeId, publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#keyOf(node, publicKey);
    return key !== undefined && isGood(key, bytes, signature);
  }

  #keyOf(node: NodeId, publicKey: Uint8Array): KeyObject | undefined {
    const cached = this.#keys.get(node);
    if (cached !== undefined) return cached.raw.equals(publicKey) ? cached.key : undefined;
    if (nodeIdOf(publicKey) !== node) return undefined;
    const key = keyOf(publicKey);
    if (key === undefined) return undefined;
    const oldest = this.#keys.keys().next().value;
    if (this.#keys.size >= NODE_KEYS_MAX && oldest !== undefined) this.#keys.delete(oldest);
    this.#keys.set(node, { raw: Buffer.from(publicKey), key });
    return key;
  }
}

/** Undefined for 32 bytes that are not a point on the curve. */
const keyOf = (publicKey: Uint8Array): KeyObject | undefined => {
  if (publicKey.length !== PUBLIC_KEY_BYTES) return undefined;
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
};

const isGood = (key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean => {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    return verify(null, bytes, key, signature);
  } catch {
    return false;
  }
};

/** In lower case, without padding. */
export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((pending >>> (bits - 5)) & 31);
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32.charAt((pending << (5 - bits)) & 31);
};

/** Undefined if it is not base32 as `base32` writes it: other characters, or remaining bits. */
export const bytesOfBase32 = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array((text.length * 5) >> 3);
  let bits = 0;
  let pending = 0;
  let at = 0;
  for (const character of text) {
    const five = BASE32.indexOf(character);
    if (five === -1) return undefined;
    pending = (pending << 5) | five;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = pending >>> bits;
    pending &= (1 << bits) - 1;
  }
  return base32(bytes) === text ? bytes : undefined;
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** SubjectPublicKeyInfo of an ed25519 key up to the key itself (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
