// The first measured requests of a run by the time at which they were due, from samples in the order in which they ended.

import { NO_FIGURE } from '../core/run/event-record.ts';
import { LANED_REQUESTS_MAX, type RequestColumns } from '../core/run/request-lanes.ts';
import type { SampleTimes } from '../wire/sample-times.ts';

type TimedSample = Pick<
  SampleTimes,
  'intendedNs' | 'sentNs' | 'firstContentNs' | 'promptNs' | 'endNs' | 'outcome'
>;

export class FirstRequests {
  #first: TimedSample[] = [];
  #count = 0;
  /** What is due later is not among the first. */
  #untilNs: number = Number.POSITIVE_INFINITY;

  add(sample: TimedSample): void {
    this.#count += 1;
    if (dueNs(sample) >= this.#untilNs) return;
    const { intendedNs, sentNs, firstContentNs, promptNs, endNs, outcome } = sample;
    this.#first.push({ intendedNs, sentNs, firstContentNs, promptNs, endNs, outcome });
    if (this.#first.length >= 2 * LANED_REQUESTS_MAX) this.#sort();
  }

  /** undefined if there are none. */
  columns(): RequestColumns | undefined {
    if (this.#count === 0) return undefined;
    this.#sort();
    const first = this.#first;
    return {
      dueMs: first.map(sample => milliseconds(dueNs(sample))),
      sentMs: first.map(({ sentNs }) => milliseconds(sentNs)),
      firstContentMs: first.map(({ firstContentNs, sentNs }) =>
        firstContentNs < sentNs ? null : milliseconds(firstContentNs),
      ),
      promptMs: first.map(({ promptNs }) => (promptNs === NO_FIGURE ? null : milliseconds(promptNs))),
      endMs: first.map(({ endNs }) => milliseconds(endNs)),
      outcome: first.map(({ outcome }) => outcome),
      more: this.#count - first.length,
    };
  }

  #sort(): void {
    const sorted = this.#first.toSorted((one, other) => dueNs(one) - dueNs(other));
    this.#first = sorted.slice(0, LANED_REQUESTS_MAX);
    const last = this.#first.at(-1);
    if (last !== undefined && this.#first.length === LANED_REQUESTS_MAX) this.#untilNs = dueNs(last);
  }
}

/** One in a closed loop is due when it is sent. */
const dueNs = ({ intendedNs, sentNs }: TimedSample): number => Math.min(intendedNs, sentNs);

/** To a microsecond, which is finer than any screen and keeps the answer small. */
const milliseconds = (ns: number): number => Math.round(ns / 1e3) / 1e3;
