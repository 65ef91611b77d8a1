// The heartbeat of a load or parse thread: a timer that is due every 20 ms or so, with or without traffic, and how
// late it fired by the monotonic clock. Anything that stops a thread (a signal, a quota, other programs) also stops its
// heartbeat, and its measurements of that time are not reliable. A beat allocates nothing.

import { BEAT_NS } from '../../core/run/event-record.ts';
import { BEATS_MAX } from '../../wire/event-batch-layout.ts';

export class Heartbeat {
  /** Of the beats since `clear`, the first `count`. */
  readonly latenessNs: Float64Array = new Float64Array(BEATS_MAX);
  count = 0;
  #lastNs: number;

  constructor(nowNs: number) {
    this.#lastNs = nowNs;
  }

  /** @param afterNs how long after the previous beat it was due. @returns how late it came, ns. */
  beat(nowNs: number, afterNs: number = BEAT_NS): number {
    const lateNs = Math.max(0, nowNs - this.#lastNs - afterNs);
    this.#lastNs = nowNs;
    // There are never more beats than cells between two reports; if there were, the last cell would keep the longest.
    const at = Math.min(this.count, BEATS_MAX - 1);
    this.latenessNs[at] = at < this.count ? Math.max(this.latenessNs[at] ?? 0, lateNs) : lateNs;
    this.count = at + 1;
    return lateNs;
  }

  /** At the end: an overdue beat counts, too. */
  last(nowNs: number): void {
    if (nowNs - this.#lastNs > BEAT_NS) this.beat(nowNs);
  }

  clear(): void {
    this.count = 0;
  }
}
