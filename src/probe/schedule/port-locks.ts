// One bandwidth probe per interface, at either end, and none during a device probe, which needs the whole
// machine. Only loads that are meant to run together share both.

import { ANY_PORT, sharePort } from './link-ports.ts';

export interface PortLock extends Disposable {
  readonly ports: readonly string[];
}

interface LockedPorts {
  readonly ports: readonly string[];
  readonly what: string;
  readonly together: string | undefined;
}

export class PortLocks {
  readonly #nowMs: () => number;
  readonly #locked = new Set<LockedPorts>();
  #reservedUntilMs = Number.NEGATIVE_INFINITY;
  #reservedFor = '';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Of links; a device has all ports. */
  get count(): number {
    return [...this.#locked].filter(({ ports }) => !ports.includes(ANY_PORT)).length;
  }

  /** Why they cannot be taken now, in words; undefined if they can. */
  blocker(ports: readonly string[], together?: string): string | undefined {
    const isReserved = together === undefined && this.#nowMs() < this.#reservedUntilMs;
    if (isReserved) return `${this.#reservedFor} will be measured shortly`;
    for (const locked of this.#apartFrom(together))
      if (sharePort(locked.ports, ports)) return `${locked.what} is being measured`;
    return undefined;
  }

  /** For a caller that has just found no blocker: nothing else runs between that and this. */
  take(ports: readonly string[], what: string, together?: string): PortLock {
    const locked = { ports, what, together };
    this.#locked.add(locked);
    return {
      ports,
      [Symbol.dispose]: () => {
        this.#locked.delete(locked);
      },
    };
  }

  /**
   * All of them. If some are taken for links, no more are given out for a while: otherwise a probe that needs
   * a quiet machine would wait forever for a busy one. After another device there is no such reservation:
   * links come first then.
   */
  takeAll(what: string, together?: string): PortLock | undefined {
    if (this.#apartFrom(together).length === 0) {
      this.#reservedUntilMs = Number.NEGATIVE_INFINITY;
      return this.take([ANY_PORT], what, together);
    }
    if (together !== undefined) return undefined;
    const isForDevice = [...this.#locked].some(({ ports }) => ports.includes(ANY_PORT));
    if (!isForDevice && this.#nowMs() >= this.#reservedUntilMs) {
      this.#reservedUntilMs = this.#nowMs() + RESERVATION_MS;
      this.#reservedFor = what;
    }
    return undefined;
  }

  #apartFrom(together: string | undefined): readonly LockedPorts[] {
    return [...this.#locked].filter(locked => together === undefined || locked.together !== together);
  }

  /** What is being measured. */
  get busyWith(): string {
    return [...this.#locked].map(({ what }) => what).join(', ');
  }
}

/** Longer than a probe of a socket connection may take. */
const RESERVATION_MS = 40_000;
