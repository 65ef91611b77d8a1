// What leaves a node through a fleet's server: encrypted and authenticated with a key derived from the
// cluster key, which the server never has. The subject is authenticated with it, so a message repeated under
// another node's id or as another kind does not open; a number that only increases allows readers to refuse
// an unchanged repetition.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { NodeId } from '../../core/ids.ts';
import { ByteReader, ByteWriter } from '../../wire/frame-bytes.ts';
import { type ClusterKey, deriveSecret } from '../key/cluster-key.ts';

/** Which start of a publisher's daemon sealed a message, and its number. */
export interface SealNumber {
  /** Start number of the daemon: greater after each restart. */
  readonly start: number;
  /** Drawn at each start: two daemons with one identity, or one restored from a copy, never share a key. */
  readonly salt: string;
  readonly count: number;
}

type OpenedMessage =
  | { readonly kind: 'opened'; readonly frame: Uint8Array; readonly number: SealNumber }
  /**
   * `wrong-key`: from no cluster key that this node accepts. `broken`: changed, or not sealed for this
   * subject.
   */
  | { readonly kind: 'wrong-key' | 'broken' | 'other-version' };

interface SealerParts {
  readonly node: NodeId;
  readonly start: number;
  /** The current one seals; any of them opens. */
  readonly keys: readonly ClusterKey[];
}

export class Sealer {
  readonly #node: NodeId;
  readonly #start: number;
  readonly #salt = randomBytes(SALT_BYTES);
  #sealing: { readonly keyId: Buffer; readonly key: KeyObject; readonly idKey: KeyObject } | undefined;
  #accepted: ReadonlyMap<string, Uint8Array> = new Map();
  /** For other publishers, by key, node and salt. */
  readonly #opening = new Map<string, KeyObject>();
  #count = 0;

  constructor({ node, start, keys }: SealerParts) {
    this.#node = node;
    this.#start = start;
    this.setKeys(keys);
  }

  get salt(): string {
    return this.#salt.toString('hex');
  }

  setKeys(keys: readonly ClusterKey[]): void {
    const [current] = keys;
    this.#accepted = new Map(keys.map(key => [key.id, deriveSecret(key, 'fleet')]));
    this.#opening.clear();
    const secret = current === undefined ? undefined : this.#accepted.get(current.id);
    this.#sealing =
      current === undefined || secret === undefined
        ? undefined
        : {
            keyId: Buffer.from(current.id, 'hex'),
            key: messageKey(secret, this.#node, this.#salt),
            idKey: createSecretKey(
              Buffer.from(hkdfSync('sha256', secret, '', 'plimsoll fleet message id', 32)),
            ),
          };
  }

  /** @throws Error without a cluster key: nothing may be sent then. */
  seal(subject: string, frame: Uint8Array): Uint8Array {
    if (this.#sealing === undefined) throw new Error('there is no cluster key to seal with');
    this.#count += 1;
    const head = new ByteWriter(HEAD_BYTES);
    head.byte(SEAL_VERSION);
    head.bytes(this.#sealing.keyId);
    head.bytes(this.#salt);
    head.number(this.#start);
    head.number(this.#count);
    const written = head.written();
    const cipher = createCipheriv(CIPHER, this.#sealing.key, nonceOf(this.#count));
    cipher.setAAD(Buffer.concat([written, Buffer.from(subject, 'utf8')]));
    return Buffer.concat([written, cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * What a server may read instead of an id: the same for every node that has the key, and unpredictable for
   * all others.
   */
  sealedId(id: string): string {
    if (this.#sealing === undefined) throw new Error('there is no cluster key to seal with');
    return createHmac('sha256', this.#sealing.idKey).update(id).digest('base64url');
  }

  /** Never throws. */
  open(subject: string, publisher: NodeId, sealed: Uint8Array): OpenedMessage {
    if (sealed[0] !== SEAL_VERSION) return { kind: 'other-version' };
    if (sealed.length < HEAD_BYTES + TAG_BYTES) return { kind: 'broken' };
    const reader = new ByteReader(sealed.subarray(1, HEAD_BYTES));
    const keyId = Buffer.from(reader.bytes(KEY_ID_BYTES)).toString('hex');
    const salt = reader.bytes(SALT_BYTES);
    const start = reader.number();
    const count = reader.number();
    const secret = this.#accepted.get(keyId);
    if (secret === undefined) return { kind: 'wrong-key' };
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(count) || count < 0) return { kind: 'broken' };
    const saltText = Buffer.from(salt).toString('hex');
    const keyName = `${keyId} ${publisher} ${saltText}`;
    const cached = this.#opening.get(keyName);
    const key = cached ?? messageKey(secret, publisher, salt);
    const decipher = createDecipheriv(CIPHER, key, nonceOf(count));
    decipher.setAAD(Buffer.concat([sealed.subarray(0, HEAD_BYTES), Buffer.from(subject, 'utf8')]));
    const end = sealed.length - TAG_BYTES;
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const frame = Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, end)), decipher.final()]);
      // Only now: a sender without a cluster key could use a thousand salts a second, and displace the keys
      // of others.
      if (cached === undefined) this.#keep(keyName, key);
      return { kind: 'opened', frame, number: { start, salt: saltText, count } };
    } catch {
      return { kind: 'broken' };
    }
  }

  #keep(name: string, key: KeyObject): void {
    const oldest = this.#opening.keys().next().value;
    if (this.#opening.size >= OPENING_KEYS_MAX && oldest !== undefined) this.#opening.delete(oldest);
    this.#opening.set(name, key);
  }
}

/** The first byte of a sealed message. */
export const SEAL_VERSION = 1;
/** What sealing adds to a message. */
export const SEAL_BYTES = 57;

/**
 * One for each start of each publisher, so a count can be the nonce. A key object, because Node converts raw
 * bytes each time with two internal exceptions: 34 µs per message instead of 8.
 */
const messageKey = (secret: Uint8Array, publisher: NodeId, salt: Uint8Array): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, salt, `plimsoll fleet message ${publisher}`, 32)));

const nonceOf = (count: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(count), 4);
  return nonce;
};

const CIPHER = 'aes-256-gcm';
const KEY_ID_BYTES = 8;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const HEAD_BYTES = 41;
/** Keys of two starts of each node of a large fleet. */
const OPENING_KEYS_MAX = 8_192;
