// How long a user waits after a request that failed at once: a server that refuses everything gets a few requests a
// second from each user, not thousands. Only a success resets it; a slow failure does not increase it.

import { minimumOf } from '../../core/extremes.ts';
import type { RequestEnd } from '../target/http1/http-connection.ts';

export class FailureBackoff {
  /** By user: consecutive requests that failed at once. At most one entry for each user. */
  readonly #streaks: Map<number, number> = new Map();

  /** @returns ns to wait before the user's next request */
  after(user: number, { hasFailed, tookNs }: RequestEnd): number {
    if (!hasFailed) {
      this.#streaks.delete(user);
      return 0;
    }
    if (tookNs >= BACKOFF_MS_MAX * 1e6) return 0;
    const streak = this.#streaks.get(user) ?? 0;
    this.#streaks.set(user, streak + 1);
    return backoffNs(streak);
  }
}

/**
 * For sessions: the slot of one that failed at once stays empty for a while. Any success resets the doubling for all
 * slots.
 */
export class SlotBackoff {
  /** At most as many as there are slots. */
  readonly #empty: EmptySlot[] = [];
  readonly #backedOff: (ns: number) => void;
  #streak = 0;

  /** @param backedOff called with how long a slot was empty */
  constructor(backedOff: (ns: number) => void) {
    this.#backedOff = backedOff;
  }

  ended(nowNs: number, { hasFailed, tookNs }: RequestEnd, slots: number): void {
    if (!hasFailed) this.#streak = 0;
    else if (tookNs < BACKOFF_MS_MAX * 1e6 && this.#empty.length < slots) {
      const waitNs = backoffNs(Math.floor(this.#streak / Math.max(1, slots)));
      this.#empty.push({ sinceNs: nowNs, untilNs: nowNs + waitNs });
      this.#streak += 1;
    }
  }

  /** Number of slots that stay empty now. */
  emptyAt(nowNs: number): number {
    for (let at = this.#empty.length - 1; at >= 0; at -= 1) {
      const slot = this.#empty[at];
      if (slot === undefined || slot.untilNs > nowNs) continue;
      this.#empty.splice(at, 1);
      this.#backedOff(nowNs - slot.sinceNs);
    }
    return this.#empty.length;
  }

  /** When the next one is free again; Infinity: none is empty. */
  get nextNs(): number {
    return minimumOf([Number.POSITIVE_INFINITY, ...this.#empty.map(({ untilNs }) => untilNs)]);
  }
}

interface EmptySlot {
  readonly sinceNs: number;
  readonly untilNs: number;
}

/** @param failuresBefore consecutive requests of the same user that failed at once before this one */
export const backoffNs = (failuresBefore: number): number =>
  Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** failuresBefore) * 1e6;

const BACKOFF_MS_MIN = 50;
const BACKOFF_MS_MAX = 1_000;
