// The key of a cluster: 256 random bits. A node that has it is a member. Everything used on a wire is derived from it,
// each secret for one purpose, so no use reveals anything about another.

import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { base32, bytesOfBase32 } from '../../wire/node-signature.ts';

export interface ClusterKey {
  /** Identifies the key without revealing it: 16 hexadecimal digits. */
  readonly id: string;
  readonly secret: Uint8Array;
}

type ParsedClusterKey =
  | { readonly kind: 'key'; readonly key: ClusterKey }
  | { readonly kind: 'wrong'; readonly problem: string };

/** What a derived secret is for. `beacon` keys the tag of discovery, `reachability` its requests and replies, `fleet` messages through a server. */
type KeyPurpose = 'psk' | 'proof' | 'beacon' | 'reachability' | 'fleet';

export const makeClusterKey = (): ClusterKey => clusterKeyOf(new Uint8Array(randomBytes(SECRET_BYTES)));

/**
 * 32 bytes by HKDF-SHA256 (RFC 5869). It does not contain the protocol's version, so peers with other versions are
 * recognized as such.
 */
export const deriveSecret = (key: ClusterKey, purpose: KeyPurpose): Uint8Array =>
  hkdf(key.secret, `plimsoll mesh ${purpose}`, SECRET_BYTES);

/** "plimsoll-key-1-", then 52 characters of the secret and 8 of a checksum, in groups of up to 12. */
export const clusterKeyText = ({ secret }: ClusterKey): string => {
  const text = base32(secret) + checksum(secret);
  return `${PREFIX}${text.match(/.{1,12}/g)?.join('-') ?? text}`;
};

/** Reads what `clusterKeyText` wrote; capitals, spaces around it and missing or extra dashes do no harm. */
export const parseClusterKey = (text: string): ParsedClusterKey => {
  if (text.length > TEXT_CHARACTERS_MAX) return wrong('it is much too long for a cluster key');
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '') return wrong('it is empty');
  if (/\s/.test(trimmed)) return wrong('it has more than one line or word');
  if (!trimmed.startsWith(PREFIX)) {
    return wrong(
      trimmed.startsWith(FAMILY)
        ? 'it is a cluster key of a newer Plimsoll'
        : `a cluster key begins with ${PREFIX}`,
    );
  }
  const body = trimmed.slice(PREFIX.length).replaceAll('-', '');
  if (!/^[a-z2-7]*$/.test(body)) return wrong('it has characters that a cluster key cannot have');
  const length = SECRET_CHARACTERS + CHECKSUM_CHARACTERS;
  if (body.length !== length)
    return wrong(`it has ${body.length} characters after ${PREFIX} instead of ${length}`);
  const secret = bytesOfBase32(body.slice(0, SECRET_CHARACTERS));
  if (secret === undefined || base32(secret) + checksum(secret) !== body)
    return wrong('a character of it is wrong or missing');
  return { kind: 'key', key: clusterKeyOf(secret) };
};

const clusterKeyOf = (secret: Uint8Array): ClusterKey => ({
  id: Buffer.from(hkdf(secret, 'plimsoll mesh key id', 8)).toString('hex'),
  secret,
});

const hkdf = (secret: Uint8Array, purpose: string, length: number): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, NO_SALT, purpose, length));

/** Detects typing errors. It reveals nothing new: it is stored next to the key. */
const checksum = (secret: Uint8Array): string =>
  base32(createHash('sha256').update('plimsoll cluster key').update(secret).digest()).slice(
    0,
    CHECKSUM_CHARACTERS,
  );

const wrong = (problem: string): ParsedClusterKey => ({ kind: 'wrong', problem });

const SECRET_BYTES = 32;
/** 256 bits by 5. */
const SECRET_CHARACTERS = 52;
const CHECKSUM_CHARACTERS = 8;
const TEXT_CHARACTERS_MAX = 1_000;
const FAMILY = 'plimsoll-key-';
const PREFIX = `${FAMILY}1-`;
const NO_SALT = new Uint8Array(0);
