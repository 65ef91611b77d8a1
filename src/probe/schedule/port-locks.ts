// One bandwidth probe per interface, at either end, and none during a device probe, which needs the whole
// machine.

import { ANY_PORT, sharePort } from './link-ports.ts';

export interface PortLock extends Disposable {
  readonly ports: readonly string[];
}

interface LockedPorts {
  readonly ports: readonly string[];
  readonly what: string;
}

export class PortLocks {
  readonly #nowMs: () => number;
  readonly #locked = new Set<LockedPorts>();
  #reservedUntilMs = Number.NEGATIVE_INFINITY;
  #reservedFor = '';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get count(): number {
    return this.#locked.size;
  }

  /** Why they cannot be taken now, in words; undefined if they can. */
  blocker(ports: readonly string[]): string | undefined {
    if (this.#nowMs() < this.#reservedUntilMs) return `${this.#reservedFor} will be measured shortly`;
    for (const locked of this.#locked)
      if (sharePort(locked.ports, ports)) return `${locked.what} is being measured`;
    return undefined;
  }

  /** For a caller that has just found no blocker: nothing else runs between that and this. */
  take(ports: readonly string[], what: string): PortLock {
    const locked = { ports, what };
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
  takeAll(what: string): PortLock | undefined {
    if (this.#locked.size === 0) {
      this.#reservedUntilMs = Number.NEGATIVE_INFINITY;
      return this.take([ANY_PORT], what);
    }
    const isForDevice = [...this.#locked].some(({ ports }) => ports.includes(ANY_PORT));
    if (!isForDevice && this.#nowMs() >= this.#reservedUntilMs) {
      this.#reservedUntilMs = this.#nowMs() + RESERVATION_MS;
      this.#reservedFor = what;
    }
    return undefined;
  }

  /** What is being measured. */
  get busyWith(): string {
    return [...this.#locked].map(({ what }) => what).join(', ');
  }
}

/** Longer than a probe of a socket connection may take. */
const RESERVATION_MS = 40_000;
