// How many replies are in progress at a time, like the batch of an inference engine: further ones wait in order of
// arrival, and their clock starts when they are admitted.

import type { Exchange } from './exchange.ts';
import type { ServedRequest } from './mock-log.ts';

export class Admission {
  readonly #max: number;
  readonly #begin: (exchange: Exchange) => void;
  readonly #running = new Set<Exchange>();
  readonly #waiting = new Set<Exchange>();

  /** @param max 0: any number. */
  constructor(max: number, begin: (exchange: Exchange) => void) {
    this.#max = max;
    this.#begin = begin;
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The connections limit the number that waits: each has one reply at a time. */
  admit(exchange: Exchange): void {
    if (this.#max > 0 && this.#running.size >= this.#max) {
      this.#waiting.add(exchange);
      return;
    }
    this.#running.add(exchange);
    this.#begin(exchange);
  }

  done(report: (served: ServedRequest) => void, exchange: Exchange): void {
    report(exchange.served);
    if (this.#waiting.delete(exchange)) return;
    if (!this.#running.delete(exchange) || this.#waiting.size === 0) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#running.add(next);
    this.#begin(next);
  }
}
