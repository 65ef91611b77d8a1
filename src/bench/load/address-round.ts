// Which address of a target's name the next connection goes to: in rotation, skipping those that have just refused
// one.

import type { AddressChoice } from '../target/http1/connection-owner.ts';

export class AddressRound implements AddressChoice {
  readonly #addresses: readonly string[];
  readonly #deadUntilNs: number[] = [];
  /** Addresses that never accepted a connection. */
  readonly dead: Set<string> = new Set();
  #next: number;

  /**
   * @param first where this thread begins, so that threads with few connections do not all begin with the same one
   */
  constructor(addresses: readonly string[], first: number) {
    this.#addresses = addresses;
    this.#next = addresses.length === 0 ? 0 : first % addresses.length;
  }

  get count(): number {
    return this.#addresses.length;
  }

  hostOf(address: number): string | undefined {
    return this.#addresses[address];
  }

  /** -1: the target has no resolved addresses. If all are dead, they are tried in rotation anyway. */
  take(nowNs: number): number {
    const { count } = this;
    if (count === 0) return -1;
    for (let tried = 0; tried < count; tried += 1) {
      const address = (this.#next + tried) % count;
      if ((this.#deadUntilNs[address] ?? 0) > nowNs) continue;
      this.#next = (address + 1) % count;
      return address;
    }
    const address = this.#next;
    this.#next = (address + 1) % count;
    return address;
  }

  failed(address: number, nowNs: number): void {
    const host = this.#addresses[address];
    if (host === undefined) return;
    this.#deadUntilNs[address] = nowNs + DEAD_NS;
    this.dead.add(host);
  }
}

/** After this, one connection tries it again: a server may have been restarted. */
const DEAD_NS = 10e9;
