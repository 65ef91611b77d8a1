// The codes that a node has issued, and which of them are still valid: once, for ten minutes, and not after
// five handshakes that named one without having its secret.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import { JOIN_SECRET_BYTES, type JoinProof, joinProof } from './join-code.ts';

export const JOIN_CODE_LIFE_MS = 600_000;
export const JOIN_TRIES_MAX = 5;
/** Limit of remembered codes: valid ones, and expired ones, so that a machine with one gets the reason. */
export const JOIN_CODES_MAX = 8;

/** `granted`: the key follows, and never again for this code. */
type JoinVerdict = 'granted' | 'used' | 'expired' | 'tries';

export interface JoinCodeStanding {
  readonly state: 'valid' | Exclude<JoinVerdict, 'granted'>;
  readonly expiresInMs: number;
  readonly triesLeft: number;
}

interface GivenCode extends JoinProof {
  readonly expiresAtMs: number;
  failures: number;
  isUsed: boolean;
}

export class JoinCodes {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #random: () => Uint8Array;
  readonly #codes = new Map<string, GivenCode>();

  /** @param random 128 bits; tests pass known ones. */
  constructor(
    clock: Pick<Clock, 'nowMs'>,
    random: () => Uint8Array = () => new Uint8Array(randomBytes(JOIN_SECRET_BYTES)),
  ) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Issues a new code and returns its secret. Above JOIN_CODES_MAX the oldest is forgotten. */
  issue(): Uint8Array {
    const secret = this.#random();
    const proof = joinProof(secret);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size >= JOIN_CODES_MAX && oldest !== undefined) this.#codes.delete(oldest);
    const expiresAtMs = this.#clock.nowMs() + JOIN_CODE_LIFE_MS;
    this.#codes.set(proof.id, { ...proof, expiresAtMs, failures: 0, isUsed: false });
    return secret;
  }

  /**
   * Also for an expired code, so that only a machine that has it gets the reason. Undefined for one that was
   * never issued here, or long ago.
   */
  pskOf(id: string): Uint8Array | undefined {
    return this.#codes.get(id)?.psk;
  }

  /** A handshake named this code and did not have its secret. */
  failed(id: string): void {
    const code = this.#codes.get(id);
    if (code !== undefined) code.failures += 1;
  }

  /** For a forgotten code: that it has expired. */
  standingOf(id: string): JoinCodeStanding {
    const code = this.#codes.get(id);
    const expiresInMs = code === undefined ? 0 : Math.max(0, code.expiresAtMs - this.#clock.nowMs());
    const triesLeft = code === undefined ? 0 : Math.max(0, JOIN_TRIES_MAX - code.failures);
    return { state: verdictOf(code, expiresInMs) ?? 'valid', expiresInMs, triesLeft };
  }

  /** For a machine that has proven the code. If there are two at once, the first gets `granted`. */
  redeem(id: string): JoinVerdict {
    const code = this.#codes.get(id);
    if (code === undefined) return 'expired';
    const over = verdictOf(code, code.expiresAtMs - this.#clock.nowMs());
    if (over !== undefined) return over;
    code.isUsed = true;
    return 'granted';
  }
}

/** Why it is not valid; undefined if it is. */
const verdictOf = (
  code: GivenCode | undefined,
  expiresInMs: number,
): Exclude<JoinVerdict, 'granted'> | undefined => {
  if (code === undefined) return 'expired';
  // Also later, because that a machine has joined is the result that is of interest.
  if (code.isUsed) return 'used';
  if (expiresInMs <= 0) return 'expired';
  return code.failures >= JOIN_TRIES_MAX ? 'tries' : undefined;
};
