// Admission of handshakes: limits at one time, in total and per address, and a rate. A handshake costs more
// than a connection, and a stranger can open connections for nothing.

import type { Clock } from '../../clock/clock.ts';
import { AddressBuckets } from '../../clock/token-bucket.ts';
import type { MeshLimits } from '../mesh.ts';

export class HandshakeAdmission {
  readonly #limits: MeshLimits;
  readonly #buckets: AddressBuckets;
  /** Only addresses with an open handshake, so never more entries than handshakes. */
  readonly #openBy = new Map<string, number>();
  #open = 0;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#limits = limits;
    const rate = { burst: limits.acceptBurst, perSecond: limits.acceptsPerSecond };
    this.#buckets = new AddressBuckets(clock, rate, ADDRESSES_MAX);
  }

  /** Handshakes in progress. */
  get openCount(): number {
    return this.#open;
  }

  /**
   * @param makeRoom ends a handshake that has proven nothing yet, if there is one: a stranger with many
   * addresses could otherwise occupy every place for as long as a handshake may take.
   * @returns the place, to be released when the handshake has ended, or why there is none.
   */
  enter(address: string, makeRoom: () => void = () => undefined): Disposable | string {
    const { handshakesMax, handshakesPerAddressMax } = this.#limits;
    if ((this.#openBy.get(address) ?? 0) >= handshakesPerAddressMax)
      return `${handshakesPerAddressMax} handshakes from this address are in progress`;
    const bucket = this.#buckets.of(address);
    if (!bucket.has()) return 'this address connects too often';
    if (this.#open >= handshakesMax) makeRoom();
    if (this.#open >= handshakesMax) return `${handshakesMax} handshakes are in progress`;
    bucket.take();
    this.#count(address, 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(address, -1);
      },
    };
  }

  #count(address: string, change: 1 | -1): void {
    const open = (this.#openBy.get(address) ?? 0) + change;
    if (open === 0) this.#openBy.delete(address);
    else this.#openBy.set(address, open);
    this.#open += change;
  }
}

const ADDRESSES_MAX = 1_024;
