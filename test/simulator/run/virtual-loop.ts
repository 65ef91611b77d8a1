// The event loops of all threads of a simulated run, on one clock: everything that waits is in one queue, by
// its time and then in order of arrival. Each loop can stop for a while or end for good.

import type { Clock } from '../../../src/clock/clock.ts';
import type { LoopTimers } from '../../../src/clock/loop-timers.ts';

/** A thread or a process. */
export class LoopOwner {
  /** Nothing of it happens any more. */
  isDead = false;
  /** What is due before happens then. */
  stalledUntilNs = 0;
}

interface Waiting {
  atNs: number;
  readonly order: number;
  readonly owner: LoopOwner;
  act: (() => void) | undefined;
}

export class VirtualLoop {
  #nowNs = 0;
  #order = 0;
  readonly #heap: Waiting[] = [];
  /** By how much somebody has set the wall clock. */
  wallJumpMs = 0;

  /** Each look at the clock takes a little. */
  readonly nowNs = (): number => {
    this.#nowNs += LOOK_NS;
    return this.#nowNs;
  };

  readonly monotonicNs = (): bigint => BigInt(Math.round(this.#nowNs));

  in(ns: number, owner: LoopOwner, act: () => void): Disposable {
    const waiting: Waiting = { atNs: this.#nowNs + ns, order: this.#order, owner, act };
    this.#order += 1;
    this.#push(waiting);
    return {
      [Symbol.dispose]: () => {
        waiting.act = undefined;
      },
    };
  }

  timersOf(owner: LoopOwner): LoopTimers {
    return {
      after: (ms, act) => this.in(Math.max(1, ms) * 1e6, owner, act),
      every: (ms, act) => {
        let next: Disposable;
        const again = (): void => {
          next = this.in(ms * 1e6, owner, again);
          act();
        };
        next = this.in(ms * 1e6, owner, again);
        return { [Symbol.dispose]: () => next[Symbol.dispose]() };
      },
      soon: act => this.in(TURN_NS, owner, act),
    };
  }

  clockOf(owner: LoopOwner): Clock {
    return {
      nowMs: () => this.#nowNs / 1e6,
      wallMs: () => WALL_MS + this.wallJumpMs + this.#nowNs / 1e6,
      sleep: (ms, signal) => {
        if (signal.aborted) return Promise.reject(signal.reason);
        return new Promise((resolve, reject) => {
          const waiting = this.in(Math.max(0, ms) * 1e6, owner, () => {
            signal.removeEventListener('abort', abort);
            resolve();
          });
          const abort = (): void => {
            waiting[Symbol.dispose]();
            reject(signal.reason);
          };
          signal.addEventListener('abort', abort, { once: true });
        });
      },
    };
  }

  /** @returns whether the work has ended within the time. */
  async run(work: Promise<unknown>, untilNs: number): Promise<boolean> {
    const over = { isTrue: false };
    const ended = (): void => {
      over.isTrue = true;
    };
    work.then(ended, ended);
    for (let idleTurns = 0; idleTurns < IDLE_TURNS_MAX; ) {
      await turnOfLoop();
      if (over.isTrue) return true;
      const next = this.#pop();
      if (next === undefined) {
        // Something real is awaited: a file.
        idleTurns += 1;
        continue;
      }
      idleTurns = 0;
      if (next.atNs > untilNs) return false;
      // Messages in memory take some turns of the real loop: they are there before time moves on by much.
      const gapNs = next.atNs - this.#nowNs;
      if (gapNs > MUCH_NS) {
        const turns = gapNs > VERY_MUCH_NS ? LAST_MESSAGE_TURNS : MESSAGE_TURNS;
        for (let turn = 0; turn < turns; turn += 1) await turnOfLoop();
        if (over.isTrue) return true;
        // What came meanwhile may be due earlier.
        if (next.act !== undefined && this.#heap[0] !== undefined && isBefore(this.#heap[0], next)) {
          this.#push(next);
          continue;
        }
      }
      this.#nowNs = Math.max(this.#nowNs, next.atNs);
      next.act?.();
    }
    return false;
  }

  #pop(): Waiting | undefined {
    for (;;) {
      const next = this.#shift();
      if (next === undefined) return undefined;
      if (next.act === undefined || next.owner.isDead) continue;
      if (next.owner.stalledUntilNs <= Math.max(next.atNs, this.#nowNs)) return next;
      next.atNs = next.owner.stalledUntilNs;
      this.#push(next);
    }
  }

  #push(waiting: Waiting): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(waiting);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(waiting, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = waiting;
  }

  #shift(): Waiting | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      if (child === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below += 1;
      }
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

const turnOfLoop = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const isBefore = (a: Waiting, b: Waiting): boolean =>
  a.atNs === b.atNs ? a.order < b.order : a.atNs < b.atNs;

const LOOK_NS = 40;
const TURN_NS = 50_000;
const WALL_MS = 1_800_000_000_000;
const MUCH_NS = 2e6;
const MESSAGE_TURNS = 12;
/** Only at the end of a run: a closing process reports it, and that is received. */
const VERY_MUCH_NS = 1e9;
const LAST_MESSAGE_TURNS = 300;
const IDLE_TURNS_MAX = 1_000_000;
