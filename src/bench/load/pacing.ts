// Calls a sender when samples are due. Node's timers fire about half a millisecond late (reference figures: median
// 0.55 ms), so a timer covers most of the wait, and turns of the event loop, which still serve sockets, cover the
// rest. Those of our own read loop cover all of it.

import type { LoopTimers } from '../../clock/loop-timers.ts';

interface PacedSender {
  /** ns; Infinity when nothing more is due. */
  nextDueNs(): number;
  /** Sends what is due; the next due time may be different afterwards. */
  send(dueNs: number): void;
}

interface PacerOptions {
  readonly nowNs: () => number;
  readonly timers: LoopTimers;
  /** Waits busily for the last SPIN_NS before each due time. */
  readonly spins: boolean;
  /** The loop has polled its sockets since this time. */
  readonly polledSince?: (ns: number) => void;
}

export class Pacer {
  readonly #nowNs: () => number;
  readonly #timers: LoopTimers;
  readonly #spins: boolean;
  readonly #polledSince: ((ns: number) => void) | undefined;
  readonly #turn = (): void => this.#run();
  /** An immediate runs after the poll of the sockets that follows its scheduling. */
  readonly #immediateTurn = (): void => {
    this.#polledSince?.(this.#wantedNs);
    this.#run();
  };
  #wantedNs = 0;
  #sender: PacedSender | undefined;
  #isSending = false;
  #timer: Disposable | undefined;
  #immediate: Disposable | undefined;

  constructor({ nowNs, timers, spins, polledSince }: PacerOptions) {
    this.#nowNs = nowNs;
    this.#timers = timers;
    this.#polledSince = polledSince;
    this.#spins = spins;
  }

  /** From now on `sender` is called on time, until nothing more is due or `stop`. */
  start(sender: PacedSender): void {
    this.stop();
    this.#sender = sender;
    this.#run();
  }

  /** Recomputes the due time, which may be earlier now. Does nothing while the sender runs: it is called again. */
  wake(): void {
    if (this.#isSending) return;
    this.#forget();
    this.#run();
  }

  stop(): void {
    this.#sender = undefined;
    this.#forget();
  }

  #forget(): void {
    this.#timer?.[Symbol.dispose]();
    this.#immediate?.[Symbol.dispose]();
  }

  #run(): void {
    // After a few, the sockets are served, however late the schedule is.
    for (let sent = 0; sent < SENT_PER_TURN_MAX; sent += 1) {
      const sender = this.#sender;
      if (sender === undefined) return;
      const dueNs = sender.nextDueNs();
      this.#wantedNs = this.#nowNs();
      let waitNs = dueNs - this.#wantedNs;
      if (this.#spins && waitNs <= SPIN_NS) {
        while (waitNs > 0) waitNs = dueNs - this.#nowNs();
      }
      if (waitNs > 0) {
        this.#wait(waitNs);
        return;
      }
      this.#isSending = true;
      sender.send(dueNs);
      this.#isSending = false;
    }
    this.#immediate = this.#timers.soon(this.#immediateTurn);
  }

  #wait(waitNs: number): void {
    if (this.#timers.isExact === true) {
      const ms = (this.#spins ? waitNs - SPIN_NS : waitNs) / 1e6;
      if (ms < Number.POSITIVE_INFINITY) this.#timer = this.#timers.after(ms, this.#turn);
    } else if (waitNs <= IMMEDIATE_NS) {
      this.#immediate = this.#timers.soon(this.#immediateTurn);
    } else if (waitNs !== Number.POSITIVE_INFINITY) {
      const ms = Math.floor((waitNs - LEAD_NS) / 1e6);
      this.#timer = this.#timers.after(Math.min(ms, TIMEOUT_MS_MAX), this.#turn);
    }
  }
}

/** How long before a due time a timer should fire: its lateness is mostly below. */
const LEAD_NS = 1.5e6;
/** Waits that a timer of at least 1 ms could not shorten in time. */
const IMMEDIATE_NS = 2.5e6;
const SPIN_NS = 0.3e6;
const SENT_PER_TURN_MAX = 64;
/** Longer ones overflow in Node. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
