// The newest look at a cluster, for those who wait until something is seen.

import { unlessAborted } from '../../clock/clock.ts';
import type { AcceptanceSources } from '../../core/acceptance/acceptance-check.ts';

export class Looks {
  readonly #signal: AbortSignal;
  #next = Promise.withResolvers<AcceptanceSources>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  look(sources: AcceptanceSources): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve(sources);
  }

  /** @throws the signal's reason, when it aborts */
  async next(): Promise<AcceptanceSources> {
    const sources = await unlessAborted(this.#next.promise, this.#signal);
    this.#signal.throwIfAborted();
    if (sources === undefined) throw new Error('nothing was seen');
    return sources;
  }

  async until(isSeen: (sources: AcceptanceSources) => boolean): Promise<void> {
    while (!isSeen(await this.next()));
  }
}
