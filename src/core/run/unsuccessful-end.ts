// The last part of a run if nothing succeeded in it although requests were attempted. The window of the rates
// ends with the last success (docs/metrics.md), so the rates do not cover that part, and the share of
// failures is small if users back off.

import { figure, type Infer, openObject } from '../schema.ts';
import type { EndedSample } from './ended-sample.ts';

export const unsuccessfulEndSchema = openObject({
  /** When the last request that completed ended, since the run's zero. */
  fromNs: figure,
  /** When the last request that failed was sent. */
  toNs: figure,
});

export type UnsuccessfulEnd = Infer<typeof unsuccessfulEndSchema>;

/** Over measured requests, in any order. */
export class UnsuccessfulEndTally {
  #firstSentNs = Number.POSITIVE_INFINITY;
  #lastSuccessNs = Number.NEGATIVE_INFINITY;
  /** Send times of the latest failed requests; FAILED_MIN of them, latest first. */
  #failedSentNs: readonly number[] = [];

  ended({
    sentNs,
    endNs,
    outcome,
    failure,
  }: Pick<EndedSample, 'sentNs' | 'endNs' | 'outcome' | 'failure'>): void {
    this.#firstSentNs = Math.min(this.#firstSentNs, sentNs);
    if (outcome === 'completed') this.#lastSuccessNs = Math.max(this.#lastSuccessNs, endNs);
    // A client that cannot send does not show whether the server would have answered.
    else if (outcome === 'failed' && failure?.kind !== 'client' && sentNs > this.#earliestNs())
      this.#failedSentNs = [...this.#failedSentNs, sentNs].toSorted((a, b) => b - a).slice(0, FAILED_MIN);
  }

  /** Also undefined if nothing succeeded at all. */
  end(): UnsuccessfulEnd | undefined {
    const [fromNs, toNs = fromNs] = [this.#lastSuccessNs, this.#failedSentNs[0]];
    if (!Number.isFinite(fromNs) || this.#earliestNs() < fromNs) return undefined;
    const lengthNs = toNs - fromNs;
    return lengthNs >= LENGTH_NS_MIN && lengthNs > SHARE_MIN * (toNs - this.#firstSentNs)
      ? { fromNs, toNs }
      : undefined;
  }

  #earliestNs(): number {
    return this.#failedSentNs[FAILED_MIN - 1] ?? Number.NEGATIVE_INFINITY;
  }
}

/** Sent after the last success: the only one or two of a slow load are not a sign. */
const FAILED_MIN = 3;
const LENGTH_NS_MIN = 2_000_000_000;
/** Share of the time in which the load was sent. */
const SHARE_MIN = 0.1;
