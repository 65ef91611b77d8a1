// The numbers in pings, the callers that wait for a pong, and how often a peer may ping: each is answered.

import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';

export class Pings {
  #number = 0;
  readonly #waiting = new Map<number, () => void>();
  readonly #answers: TokenBucket;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#answers = new TokenBucket(clock, ANSWER_RATE);
  }

  /** Whether one more ping of the peer is to be answered. */
  mayAnswer(): boolean {
    return this.#answers.take();
  }

  next(): Uint8Array {
    this.#number = (this.#number + 1) >>> 0;
    const payload = new Uint8Array(PING_BYTES);
    new DataView(payload.buffer).setUint32(0, this.#number);
    return payload;
  }

  /** A ping for whose pong a caller waits, until `forget`. */
  awaited(): {
    readonly payload: Uint8Array;
    readonly answered: Promise<true>;
    readonly forget: () => void;
  } {
    const answer = Promise.withResolvers<true>();
    const payload = this.next();
    const number = this.#number;
    this.#waiting.set(number, () => answer.resolve(true));
    return { payload, answered: answer.promise, forget: () => this.#waiting.delete(number) };
  }

  /** @param payload `isPing`. */
  answered(payload: Uint8Array): void {
    const number = new DataView(payload.buffer, payload.byteOffset).getUint32(0);
    this.#waiting.get(number)?.();
  }
}

export const isPing = (payload: Uint8Array): boolean => payload.length === PING_BYTES;

const PING_BYTES = 4;
/** A node pings every two seconds, and once more for each process that competes for its link. */
const ANSWER_RATE = { burst: 128, perSecond: 16 };
