// Who may begin a handshake now: so many at once, in all and from one address, and at a rate. A handshake costs more than a
// connection, and a stranger can open connections for nothing.

import type { Clock } from '../../clock/clock.ts';
import type { MeshLimits } from '../mesh.ts';

interface Visitor {
  open: number;
  tokens: number;
  atMs: number;
}

export class Admission {
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #visitors = new Map<string, Visitor>();
  #open = 0;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Handshakes that are under way. */
  get openCount(): number {
    return this.#open;
  }

  /** Addresses that are remembered. */
  get addressCount(): number {
    return this.#visitors.size;
  }

  /**
   * @param makeRoom ends a handshake that has proven nothing yet, where there is one: a stranger with many addresses
   * could otherwise keep every place for as long as a handshake may take.
   * @returns the place, to be given back when the handshake has ended, or why there is none.
   */
  enter(address: string, makeRoom: () => void = () => undefined): Disposable | string {
    const { handshakesMax, handshakesPerAddressMax } = this.#limits;
    const visitor = this.#visitor(address);
    if (visitor.open >= handshakesPerAddressMax)
      return `${handshakesPerAddressMax} handshakes of this address are under way`;
    if (visitor.tokens < 1) return 'this address connects too often';
    if (this.#open >= handshakesMax) makeRoom();
    if (this.#open >= handshakesMax) return `${handshakesMax} handshakes are under way`;
    visitor.tokens -= 1;
    visitor.open += 1;
    this.#open += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        visitor.open -= 1;
        this.#open -= 1;
      },
    };
  }

  #visitor(address: string): Visitor {
    const { acceptBurst, acceptsPerSecond } = this.#limits;
    const nowMs = this.#clock.nowMs();
    const visitor = this.#visitors.get(address) ?? { open: 0, tokens: acceptBurst, atMs: nowMs };
    visitor.tokens = Math.min(
      acceptBurst,
      visitor.tokens + ((nowMs - visitor.atMs) / 1_000) * acceptsPerSecond,
    );
    visitor.atMs = nowMs;
    // A map keeps the order of insertion: set again, the address is the newest.
    this.#visitors.delete(address);
    this.#visitors.set(address, visitor);
    if (this.#visitors.size > ADDRESSES_MAX) this.#forgetOne();
    return visitor;
  }

  /** The one that was quiet longest; that it may begin with a full burst again is all it gains. */
  #forgetOne(): void {
    for (const [address, { open }] of this.#visitors) {
      if (open > 0) continue;
      this.#visitors.delete(address);
      return;
    }
  }
}

const ADDRESSES_MAX = 1_024;
