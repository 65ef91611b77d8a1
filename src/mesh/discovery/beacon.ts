// One beacon, 56 bytes: what a node announces on every link. Without the cluster key it reveals only that some Plimsoll
// is there, and its port; the nonce makes every tag look new, so not even two beacons of one cluster can be matched.

import { createHmac, timingSafeEqual } from 'node:crypto';

interface Beacon {
  /**
   * Of the mesh protocol. The tag covers it; a peer with another version is still a candidate; dialling it reports the
   * mismatch.
   */
  readonly version: number;
  /** Where the node accepts links. */
  readonly port: number;
  /** BEACON_NONCE_BYTES, new for each datagram. */
  readonly nonce: Uint8Array;
}

type CheckedBeacon =
  | { readonly kind: 'beacon'; readonly beacon: Beacon }
  /** It has the shape of a beacon, but under a key that is not ours. */
  | { readonly kind: 'other-key' }
  | { readonly kind: 'not-a-beacon' };

/** @param tagKey from `deriveSecret(key, 'beacon')`. */
export const encodeBeacon = ({ version, port, nonce }: Beacon, tagKey: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(BEACON_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt16BE(version, AT_VERSION);
  bytes.writeUInt16BE(port, AT_PORT);
  bytes.set(nonce, AT_NONCE);
  bytes.set(tagOf(bytes, tagKey), AT_TAG);
  return bytes;
};

/** Never throws. Every key is tried, in constant time, so timing does not reveal which one fits. */
export const checkBeacon = (bytes: Uint8Array, tagKeys: readonly Uint8Array[]): CheckedBeacon => {
  if (bytes.length !== BEACON_BYTES || MAGIC.some((byte, index) => bytes[index] !== byte))
    return { kind: 'not-a-beacon' };
  const reported = bytes.subarray(AT_TAG);
  const fits = tagKeys.filter(tagKey => timingSafeEqual(tagOf(bytes, tagKey), reported));
  if (fits.length === 0) return { kind: 'other-key' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const port = view.getUint16(AT_PORT);
  if (port === 0) return { kind: 'not-a-beacon' };
  const nonce = new Uint8Array(bytes.subarray(AT_NONCE, AT_TAG));
  return { kind: 'beacon', beacon: { version: view.getUint16(AT_VERSION), port, nonce } };
};

const tagOf = (bytes: Uint8Array, tagKey: Uint8Array): Buffer =>
  createHmac('sha256', tagKey).update('plimsoll beacon\0').update(bytes.subarray(0, AT_TAG)).digest();

export const BEACON_NONCE_BYTES = 16;
/** The last character is the version of this layout. */
const MAGIC = Buffer.from('PLB1');
const AT_VERSION = 4;
const AT_PORT = 6;
const AT_NONCE = 8;
const AT_TAG = AT_NONCE + BEACON_NONCE_BYTES;
export const BEACON_BYTES: number = AT_TAG + 32;
