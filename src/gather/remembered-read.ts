// A reading of a slow tool that several gatherers need: read once, handed to all until it is older than the asker
// accepts. Failures are not remembered, and two askers at the same time share one run of the tool.

import type { Clock } from '../clock/clock.ts';
import type { Parsed } from './parsed.ts';

export class RememberedRead<T> {
  readonly #read: (signal: AbortSignal) => Promise<Parsed<T>>;
  #last: { readonly atMs: number; readonly value: Parsed<T> } | undefined;
  #running: Promise<Parsed<T>> | undefined;

  constructor(read: (signal: AbortSignal) => Promise<Parsed<T>>) {
    this.#read = read;
  }

  /** `ageMsMax` Infinity: what cannot change while the machine runs. */
  async get(asker: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly ageMsMax: number;
  }): Promise<Parsed<T>> {
    const { clock, signal, ageMsMax } = asker;
    if (this.#last !== undefined && clock.nowMs() - this.#last.atMs < ageMsMax) return this.#last.value;
    this.#running ??= this.#readNow(clock, signal);
    return await this.#running;
  }

  async #readNow(clock: Clock, signal: AbortSignal): Promise<Parsed<T>> {
    try {
      const value = await this.#read(signal);
      this.#last = value.kind === 'parsed' ? { atMs: clock.nowMs(), value } : undefined;
      return value;
    } finally {
      this.#running = undefined;
    }
  }
}
