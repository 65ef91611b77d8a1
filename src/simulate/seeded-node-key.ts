// Key pairs of simulated nodes: equal seeds give equal identities, so a screenshot can be repeated. Anybody can create
// the same keys; they prove nothing, and are only used on a mesh in memory.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { MeshIdentity } from '../mesh/mesh.ts';
import { nodeIdOf } from '../wire/node-signature.ts';

export interface SeededNodeKey extends MeshIdentity {
  /** As a home keeps it. */
  readonly pem: string;
}

/** `count` keys sorted by node id, the order in which every view lists nodes. */
export const seededNodeKeys = (seed: number, count: number): readonly SeededNodeKey[] =>
  Array.from({ length: count }, (_, index) => keyOf(`plimsoll simulation ${seed} ${index}`)).sort((a, b) =>
    a.nodeId < b.nodeId ? -1 : 1,
  );

const keyOf = (text: string): SeededNodeKey => {
  const secret = createHash('sha256').update(text).digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  return {
    nodeId: nodeIdOf(publicKey),
    publicKey,
    sign: bytes => sign(null, bytes, key),
    pem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

/** The last 32 bytes of an ed25519 SubjectPublicKeyInfo are the key itself (RFC 8410 §4). */
const rawPublicKey = (key: KeyObject): Uint8Array =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32);

/** A PKCS #8 ed25519 private key up to its 32 bytes (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
