// An exact M/G/k queue, first come first served, on the virtual clock: what the mock with `--concurrency k` is.

import { type SeededRandom, seededRandom } from '../../src/core/random.ts';

export interface QueueModel {
  readonly servers: number;
  /** Mean service time, ns. */
  readonly serviceNs: number;
  /** Coefficient of variation of a log-normal service time; 0: always the same. */
  readonly serviceVariation: number;
}

/** Requests a second at which every server is always busy. */
export const capacityOf = ({ servers, serviceNs }: QueueModel): number => (servers * 1e9) / serviceNs;

/** One customer after the other: `next` returns when the customer of that arrival begins and ends. */
export class QueueSimulator {
  readonly #random: SeededRandom;
  readonly #freeNs: Float64Array;
  readonly #mu: number;
  readonly #sigma: number;
  beganNs = 0;
  endedNs = 0;

  constructor({ servers, serviceNs, serviceVariation }: QueueModel, seed: number) {
    this.#random = seededRandom(seed);
    this.#freeNs = new Float64Array(servers);
    this.#sigma = Math.sqrt(Math.log1p(serviceVariation ** 2));
    this.#mu = Math.log(serviceNs) - this.#sigma ** 2 / 2;
  }

  /** `factor` stretches its service. */
  arrive(arrivedNs: number, factor = 1): void {
    const free = this.#freeNs;
    let first = 0;
    for (let server = 1; server < free.length; server += 1)
      if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
    this.beganNs = Math.max(arrivedNs, free[first] ?? 0);
    this.endedNs = this.beganNs + this.#serviceNs() * factor;
    free[first] = this.endedNs;
  }

  /** For all else that is random. */
  draw(): number {
    return this.#random.next();
  }

  #serviceNs(): number {
    if (this.#sigma === 0) return Math.exp(this.#mu);
    const radius = Math.sqrt(-2 * Math.log1p(-this.#random.next()));
    return Math.exp(this.#mu + this.#sigma * radius * Math.cos(2 * Math.PI * this.#random.next()));
  }
}
