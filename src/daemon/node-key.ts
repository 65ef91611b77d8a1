// The identity of this home: an ed25519 key pair created once, and the node id that follows from it. The id survives
// restarts and renamings; copying the home copies the identity, which peers notice.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import type { NodeId } from '../core/ids.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { nodeIdOf } from '../wire/node-signature.ts';
import { DaemonError } from './daemon-error.ts';
import { readSecretFile, type SecretFileAdvice } from './secret-file.ts';

export interface NodeKey {
  readonly nodeId: NodeId;
  /** Raw ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export const NODE_KEY_FILE = 'node-key.pem';

/**
 * Reads the home's key, or creates it. @throws DaemonError `home-unusable` if the file exists but is not an ed25519
 * key, or others can read it: a new identity never overwrites an old one.
 */
export const openNodeKey = async (home: string): Promise<NodeKey> => {
  const path = join(home, NODE_KEY_FILE);
  const pem = await readSecretFile(path, ADVICE);
  if (pem !== undefined) return nodeKeyOf(parsePrivateKey(pem, path));
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFileAtomic(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return nodeKeyOf(privateKey);
};

/** A new identity that no home keeps: for tests and simulated nodes. */
export const generateNodeKey = (): NodeKey => nodeKeyOf(generateKeyPairSync('ed25519').privateKey);

const nodeKeyOf = (privateKey: KeyObject): NodeKey => {
  const publicKey = rawPublicKey(privateKey);
  return { nodeId: nodeIdOf(publicKey), publicKey, sign: bytes => sign(null, bytes, privateKey) };
};

/** The last 32 bytes of an ed25519 SubjectPublicKeyInfo are the key itself (RFC 8410 §4). */
const rawPublicKey = (privateKey: KeyObject): Uint8Array =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).subarray(-32);

const parsePrivateKey = (pem: string, path: string): KeyObject => {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw unusable(path, error);
  }
  throw unusable(path, undefined);
};

const unusable = (path: string, cause: unknown): DaemonError =>
  new DaemonError(
    {
      code: 'home-unusable',
      problem: `${path} is not an ed25519 private key.`,
      advice: 'Restore it from a backup, or move it away to start as a new node.',
    },
    { cause },
  );

const ADVICE: SecretFileAdvice = {
  unreadable: 'Make it readable for the user who runs Plimsoll.',
  exposed: 'Anyone who has read it can act as this node. Move it away to start as a new node.',
};
