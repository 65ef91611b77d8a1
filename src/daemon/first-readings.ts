// When a start has something to show: every reading has been told, failed or found absent once, or a bound has passed.

import { unlessAborted } from '../clock/until-aborted.ts';
import { readingKey } from '../core/node/gathered.ts';
import type { Gatherer } from '../gather/gatherer.ts';

export class FirstReadings {
  readonly #awaited: Set<string>;
  readonly #done = Promise.withResolvers<void>();

  constructor(gatherers: readonly Gatherer[]) {
    this.#awaited = new Set(gatherers.flatMap(gatherer => gatherer.tells.map(readingKey)));
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Keys of the readings that nothing was heard of yet. */
  get missing(): readonly string[] {
    return [...this.#awaited].sort();
  }

  told(key: string): void {
    this.#awaited.delete(key);
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Resolves when all were told, or when the signal aborts: a slow source never holds a start up for ever. */
  async wait(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#done.promise, signal);
  }
}
