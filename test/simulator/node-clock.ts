// The clock of one machine: its own zero, and a wall clock that somebody sets. It runs as fast as all others.

import type { Clock } from '../../src/clock/clock.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

export class NodeClock implements Clock {
  readonly #shared: VirtualClock;
  readonly #zeroMs: number;
  #jumpedMs = 0;

  constructor(shared: VirtualClock, zeroMs: number) {
    this.#shared = shared;
    this.#zeroMs = zeroMs;
  }

  nowMs(): number {
    return this.#shared.nowMs() + this.#zeroMs;
  }

  wallMs(): number {
    return this.#shared.wallMs() + this.#jumpedMs;
  }

  /** Of the simulation, ms. */
  sharedMs(): number {
    return this.#shared.nowMs();
  }

  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    return this.#shared.sleep(durationMs, signal);
  }
}
