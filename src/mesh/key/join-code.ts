// The code with which a machine joins a cluster: the addresses of a node, and a secret that both ends use as
// PSK. It is valid for minutes and only once (`join-codes.ts`), so that it may be read aloud or pass through
// a chat, which is not safe for a cluster key.

import { createHash, hkdfSync } from 'node:crypto';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import { base32, bytesOfBase32 } from '../../wire/node-signature.ts';
import { parsePeer } from '../discovery/peer-address.ts';

export const JOIN_SECRET_BYTES = 16;
/** Limit of addresses in one code. */
export const JOIN_ADDRESSES_MAX = 6;

export interface JoinCode {
  /** 128 random bits. */
  readonly secret: Uint8Array;
  /** Where the mesh of the node that issued it listens, likely ones first. */
  readonly addresses: readonly HostPort[];
}

type ParsedJoinCode =
  | { readonly kind: 'code'; readonly code: JoinCode }
  /** A part of a sentence: "the code …". */
  | { readonly kind: 'wrong'; readonly problem: string };

/**
 * The identifier of the code, sent in the clear at the start of TLS, and the PSK that proves the code.
 * Neither reveals the secret.
 */
export interface JoinProof {
  readonly id: string;
  readonly psk: Uint8Array;
}

/** "plimsoll-join-1-", the secret and a checksum over all in groups of 8, "@" and the addresses with commas between. */
export const joinCodeText = ({ secret, addresses }: JoinCode): string => {
  const where = addresses.map(hostPortText).join(',');
  const body = base32(secret) + checksum(secret, where);
  return `${PREFIX}${body.match(/.{1,8}/g)?.join('-') ?? body}@${where}`;
};

/** Reads what `joinCodeText` wrote; capitals, spaces around it and missing or extra dashes do no harm. */
export const parseJoinCode = (text: string): ParsedJoinCode => {
  if (text.length > TEXT_CHARACTERS_MAX) return wrong('is much too long');
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '') return wrong('is empty');
  if (/\s/.test(trimmed)) return wrong('has more than one line or word');
  if (!trimmed.startsWith(PREFIX))
    return wrong(
      trimmed.startsWith(FAMILY) ? 'was made by a newer Plimsoll' : `does not begin with ${PREFIX}`,
    );
  const [dashed = '', where, ...rest] = trimmed.slice(PREFIX.length).split('@');
  if (where === undefined || where === '' || rest.length > 0)
    return wrong('does not end with an @ and the addresses after it: a part of it is missing');
  const body = dashed.replaceAll('-', '');
  const secret = bytesOfBase32(body.slice(0, SECRET_CHARACTERS));
  if (secret?.length !== JOIN_SECRET_BYTES || base32(secret) + checksum(secret, where) !== body)
    return wrong('has a character that is wrong or missing');
  const addresses = where.split(',').map(parsePeer);
  if (addresses.length > JOIN_ADDRESSES_MAX) return wrong(`names more than ${JOIN_ADDRESSES_MAX} addresses`);
  const bad = addresses.find(address => address.kind === 'wrong');
  if (bad?.kind === 'wrong') return wrong(`has an address that cannot be used: ${bad.problem}`);
  const named = addresses.flatMap(address =>
    address.kind === 'peer' ? [{ host: address.host, port: address.port }] : [],
  );
  return { kind: 'code', code: { secret, addresses: named } };
};

export const joinProof = (secret: Uint8Array): JoinProof => ({
  id: `${JOIN_ID_PREFIX}${Buffer.from(hkdf(secret, 'id', 8)).toString('hex')}`,
  psk: hkdf(secret, 'psk', 32),
});

const hkdf = (secret: Uint8Array, purpose: string, length: number): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), `plimsoll join ${purpose}`, length));

/** Finds typing errors, in the addresses too. */
const checksum = (secret: Uint8Array, where: string): string =>
  base32(createHash('sha256').update('plimsoll join code').update(secret).update(where).digest()).slice(
    0,
    CHECKSUM_CHARACTERS,
  );

const wrong = (problem: string): ParsedJoinCode => ({ kind: 'wrong', problem });

/** 128 bits by 5. */
const SECRET_CHARACTERS = 26;
const CHECKSUM_CHARACTERS = 6;
const TEXT_CHARACTERS_MAX = 1_000;
/** No cluster key has such an id: those are hexadecimal. */
const JOIN_ID_PREFIX = 'join-';
const FAMILY = 'plimsoll-join-';
const PREFIX = `${FAMILY}1-`;
