// Splits a request's long work into short pieces, so other readers and the mesh get their turn in between; one such
// request at a time, so many of them use no more processor time than one.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { pushAll } from '../../core/push-all.ts';

export class YieldingQueue {
  #last: Promise<void> = Promise.resolve();

  /** In the order of the requests. @returns undefined if nothing waits for it any more. */
  async map<T, R>(
    items: readonly T[],
    of: (item: T) => R,
    isWanted: () => boolean,
  ): Promise<readonly R[] | undefined> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      const results: R[] = [];
      for (let from = 0; from < items.length; from += ITEMS_OF_TURN_MAX) {
        if (!isWanted()) return undefined;
        pushAll(results, items.slice(from, from + ITEMS_OF_TURN_MAX).map(of));
        await nextTurn();
      }
      return results;
    } finally {
      resolve();
    }
  }
}

/** A few ms of reading and writing rows of profiles. */
const ITEMS_OF_TURN_MAX = 32;
