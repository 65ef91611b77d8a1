// Who may do what. Holds the token, the one-time codes that a page exchanges for a cookie, and the accepted host names.
// It does not handle requests; the guard calls it.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';

/** The credential of a request or a stream; checked again while a stream is open. */
export type Grant =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly generation: number }
  | { readonly kind: 'cookie'; readonly generation: number; readonly expiresAtWallMs: number };

interface AccessOptions {
  readonly clock: Clock;
  /** At least 128 random bits, as text without spaces. */
  readonly token: string;
  /** Names that people use for this machine, beyond localhost and its addresses: "studio.local". */
  readonly hostNames: readonly string[];
}

export class Access {
  readonly hostNames: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #codes = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #token: string;
  #generation = 0;

  constructor({ clock, token, hostNames }: AccessOptions) {
    this.#clock = clock;
    this.#token = checkedToken(token);
    this.hostNames = new Set(hostNames.map(name => name.toLowerCase().replace(/\.$/, '')));
  }

  /** Ends every cookie and stream opened with the previous token. */
  replaceToken(token: string): void {
    this.#token = checkedToken(token);
    this.#generation += 1;
    this.#codes.clear();
    for (const listener of this.#listeners) listener();
  }

  /** Calls back when grants may have ended. Returns the end of the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  grantForToken(text: string): Grant | undefined {
    return equalInConstantTime(text, this.#token)
      ? { kind: 'token', generation: this.#generation }
      : undefined;
  }

  grantForCookie(text: string): Grant | undefined {
    const [version, expires, mac, ...rest] = text.split('.');
    if (version !== COOKIE_VERSION || expires === undefined || mac === undefined || rest.length > 0)
      return undefined;
    if (!equalInConstantTime(mac, this.#mac(expires))) return undefined;
    const expiresAtWallMs = Number(expires);
    if (!(expiresAtWallMs > this.#clock.wallMs())) return undefined;
    return { kind: 'cookie', generation: this.#generation, expiresAtWallMs };
  }

  isStillGranted(grant: Grant): boolean {
    switch (grant.kind) {
      case 'open':
        return true;
      case 'token':
        return grant.generation === this.#generation;
      case 'cookie':
        return grant.generation === this.#generation && grant.expiresAtWallMs > this.#clock.wallMs();
      default:
        return grant satisfies never;
    }
  }

  /** A code for one browser: valid once, for ten minutes. With too many valid codes the oldest is dropped. */
  issueCode(): string {
    this.#dropOldCodes();
    if (this.#codes.size >= CODES_MAX) {
      const [oldest] = this.#codes.keys();
      if (oldest !== undefined) this.#codes.delete(oldest);
    }
    const code = randomBytes(16).toString('base64url');
    this.#codes.set(codeDigest(code), this.#clock.nowMs() + CODE_LIFE_MS);
    return code;
  }

  /** A cookie's value for a code, which is used up; undefined when the code is not good. */
  redeemCode(code: string): string | undefined {
    this.#dropOldCodes();
    // Looked up by digest: the time of the look-up reveals nothing about valid codes.
    if (!this.#codes.delete(codeDigest(code))) return undefined;
    const expires = String(this.#clock.wallMs() + COOKIE_LIFE_MS);
    return `${COOKIE_VERSION}.${expires}.${this.#mac(expires)}`;
  }

  /**
   * The cookie proves the token without being it: browsers send a host's cookies to every port, so another server on
   * this machine may see it, and should then get only something that expires.
   */
  #mac(expires: string): string {
    return createHmac('sha256', this.#token).update(`plimsoll cookie ${expires}`).digest('base64url');
  }

  #dropOldCodes(): void {
    const nowMs = this.#clock.nowMs();
    for (const [digest, expiresAtMs] of this.#codes) if (expiresAtMs <= nowMs) this.#codes.delete(digest);
  }
}

export const CODE_LIFE_MS: number = 600_000;
export const CODES_MAX = 32;
const COOKIE_LIFE_MS: number = 30 * 24 * 3_600_000;

/** Named after the node: the cookies of a host are shared by all its ports, and two daemons may run on one machine. */
export const cookieName = (node: NodeId): string => `plimsoll-${node.slice(0, 12)}`;

/** The first value of a name in a Cookie header. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
};

/** Without `Secure`: the daemon uses plain HTTP, and browsers would not send the cookie back. */
export const setCookie = (name: string, value: string): string =>
  `${name}=${value}; Path=/; Max-Age=${COOKIE_LIFE_MS / 1_000}; HttpOnly; SameSite=Strict`;

const COOKIE_VERSION = 'v1';

const checkedToken = (token: string): string => {
  if (TOKEN.test(token)) return token;
  throw new RangeError('the access token must be 22 to 256 characters of letters, digits and -._~+/=');
};

/** RFC 6750's token characters. */
const TOKEN = /^[A-Za-z0-9\-._~+/=]{22,256}$/;

const codeDigest = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** Compares digests, so timing reveals neither content nor length. */
const equalInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
