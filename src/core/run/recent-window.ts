// Rates over the last seconds of a run in progress: the average since its start hides that the server has
// just stopped answering.

import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { type ContentArrived, contentArrived } from './content-arrived.ts';
import type { RecentRates } from './run.ts';
import { tokensOf } from './run-rates.ts';
import { lookUp, type MetricsSnapshot } from './snapshot.ts';

export const RECENT_SECONDS = 5;

interface Moment {
  readonly atNs: number;
  readonly completed: number;
  readonly arrived: Reported<ContentArrived>;
  /** undefined unless the server's usage is known for all of them. */
  readonly outputTokens: number | undefined;
}

export class RecentWindow {
  readonly #moments: Moment[] = [];

  add(snapshot: MetricsSnapshot): void {
    const metrics = lookUp(snapshot);
    const { completed } = metrics.counts('measured');
    const tokens = completed === 0 ? 0 : tokensOf(metrics, 'outputTokens');
    this.#moments.push({
      atNs: snapshot.timestampNs,
      completed,
      arrived: contentArrived(metrics),
      outputTokens: isUnknown(tokens) ? undefined : tokens,
    });
    // One from before the span is kept, so that the rate always covers all of it.
    while (
      (this.#moments[1]?.atNs ?? Number.POSITIVE_INFINITY) <=
      snapshot.timestampNs - RECENT_SECONDS * 1e9
    )
      this.#moments.shift();
  }

  rates(): RecentRates {
    const first = this.#moments[0];
    const last = this.#moments.at(-1);
    if (first === undefined || last === undefined || last.atNs - first.atNs < SPAN_NS_MIN)
      return { requestsPerSecond: EARLY, outputTokensPerSecond: EARLY };
    const seconds = (last.atNs - first.atNs) / 1e9;
    return {
      requestsPerSecond: (last.completed - first.completed) / seconds,
      outputTokensPerSecond: tokensPerSecond(first, last, seconds),
    };
  }
}

/**
 * From the chunks that arrived, times the tokens per chunk so far; if none were counted, from the requests
 * that ended.
 */
const tokensPerSecond = (first: Moment, last: Moment, seconds: number): Reported<number> => {
  if (first.outputTokens === undefined || last.outputTokens === undefined)
    return unknown("the server's usage was missing");
  if (isUnknown(last.arrived)) return (last.outputTokens - first.outputTokens) / seconds;
  const { chunks, tokensPerChunk } = last.arrived;
  if (isUnknown(tokensPerChunk)) return tokensPerChunk;
  const before = isUnknown(first.arrived) ? 0 : first.arrived.chunks;
  return ((chunks - before) * tokensPerChunk) / seconds;
};

const EARLY = unknown('too early for a rate');
const SPAN_NS_MIN = 0.5e9;
