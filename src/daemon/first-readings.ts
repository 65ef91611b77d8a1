// When a start has something to show: every reading was reported, failed or was absent once, or a time limit has passed.

import { unlessAborted } from '../clock/until-aborted.ts';
import { readingKey } from '../core/node/gathered.ts';
import type { Gatherer } from '../gather/gatherer.ts';

export class FirstReadings {
  readonly #awaited: Set<string>;
  readonly #done = Promise.withResolvers<void>();

  constructor(gatherers: readonly Gatherer[]) {
    this.#awaited = new Set(gatherers.flatMap(gatherer => gatherer.reports.map(readingKey)));
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Keys of the readings without any report yet. */
  get missing(): readonly string[] {
    return [...this.#awaited].sort();
  }

  note(key: string): void {
    this.#awaited.delete(key);
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Resolves when all have been reported, or when the signal aborts: a slow source never blocks a start forever. */
  async wait(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#done.promise, signal);
  }
}
