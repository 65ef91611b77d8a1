// Which codes a node has given out, and which of them still let somebody join: once, for ten minutes, and not after five
// handshakes that named one and did not have it.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import { JOIN_SECRET_BYTES, type JoinProof, joinProof } from './join-code.ts';

export const JOIN_CODE_LIFE_MS = 600_000;
export const JOIN_TRIES_MAX = 5;
/** Codes that are remembered: those in force, and those that are over, so that whoever has one hears why. */
export const JOIN_CODES_MAX = 8;

/** `granted`: to be followed by the key, and never again for this code. */
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

  /** @param random 128 bits; tests know theirs. */
  constructor(
    clock: Pick<Clock, 'nowMs'>,
    random: () => Uint8Array = () => new Uint8Array(randomBytes(JOIN_SECRET_BYTES)),
  ) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The secret of a new one. Past JOIN_CODES_MAX the oldest is forgotten. */
  issue(): Uint8Array {
    const secret = this.#random();
    const proof = joinProof(secret);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size >= JOIN_CODES_MAX && oldest !== undefined) this.#codes.delete(oldest);
    const expiresAtMs = this.#clock.nowMs() + JOIN_CODE_LIFE_MS;
    this.#codes.set(proof.id, { ...proof, expiresAtMs, failures: 0, isUsed: false });
    return secret;
  }

  /** Also of one that is over: only who has it hears that. Undefined for one that was never given here, or long ago. */
  pskOf(id: string): Uint8Array | undefined {
    return this.#codes.get(id)?.psk;
  }

  /** A handshake named this code and did not have its secret. */
  failed(id: string): void {
    const code = this.#codes.get(id);
    if (code !== undefined) code.failures += 1;
  }

  /** Of one that is forgotten: that it is over. */
  standingOf(id: string): JoinCodeStanding {
    const code = this.#codes.get(id);
    const expiresInMs = code === undefined ? 0 : Math.max(0, code.expiresAtMs - this.#clock.nowMs());
    const triesLeft = code === undefined ? 0 : Math.max(0, JOIN_TRIES_MAX - code.failures);
    return { state: verdictOf(code, expiresInMs) ?? 'valid', expiresInMs, triesLeft };
  }

  /** For whoever has proven it. Two at once: the first gets `granted`. */
  redeem(id: string): JoinVerdict {
    const code = this.#codes.get(id);
    if (code === undefined) return 'expired';
    const over = verdictOf(code, code.expiresAtMs - this.#clock.nowMs());
    if (over !== undefined) return over;
    code.isUsed = true;
    return 'granted';
  }
}

/** Why it lets nobody join; undefined while it does. */
const verdictOf = (
  code: GivenCode | undefined,
  expiresInMs: number,
): Exclude<JoinVerdict, 'granted'> | undefined => {
  if (code === undefined) return 'expired';
  // Also later: that a machine has joined is what whoever asks wants to know.
  if (code.isUsed) return 'used';
  if (expiresInMs <= 0) return 'expired';
  return code.failures >= JOIN_TRIES_MAX ? 'tries' : undefined;
};
