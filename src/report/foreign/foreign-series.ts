// What the other tools compute for each completed request, by their own definitions, if they agree on one: latency
// ends with the last content, and the time between tokens is the remainder after the first, over the tokens less one.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { lastContentNs } from './measured-samples.ts';

/** Nanoseconds and tokens; undefined if the sample has none. */
export interface ForeignFigures {
  readonly latencyNs: number;
  readonly ttftNs: number | undefined;
  /** Second content chunk − first. */
  readonly secondTokenNs: number | undefined;
  readonly perTokenNs: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export const foreignFigures = (sample: EndedSample): ForeignFigures => {
  const { sentNs, firstContentNs } = sample;
  const latencyNs = lastContentNs(sample) - sentNs;
  const ttftNs = known(firstContentNs) === undefined ? undefined : firstContentNs - sentNs;
  const outputTokens = known(sample.outputTokens);
  return {
    latencyNs,
    ttftNs,
    secondTokenNs: sample.chunkGapsNs[0],
    perTokenNs:
      ttftNs === undefined || outputTokens === undefined || outputTokens < 2
        ? undefined
        : (latencyNs - ttftNs) / (outputTokens - 1),
    inputTokens: known(sample.inputTokens),
    outputTokens,
  };
};

const known = (figure: number): number | undefined => (figure === NO_FIGURE ? undefined : figure);

/** Totals over the completed requests of a run, added one by one. */
export class ForeignTotals {
  readonly latencyNs: RawValues = new RawValues();
  readonly ttftNs: RawValues = new RawValues();
  readonly secondTokenNs: RawValues = new RawValues();
  readonly perTokenNs: RawValues = new RawValues();
  readonly inputTokens: RawValues = new RawValues();
  readonly outputTokens: RawValues = new RawValues();
  readonly startsNs: RawValues = new RawValues();
  readonly endsNs: RawValues = new RawValues();
  completed = 0;
  failed = 0;
  /** Over all that were sent. */
  firstSentNs: number = Number.POSITIVE_INFINITY;
  lastEndNs = 0;

  add(sample: EndedSample): ForeignFigures | undefined {
    this.firstSentNs = Math.min(this.firstSentNs, sample.sentNs);
    this.lastEndNs = Math.max(this.lastEndNs, sample.endNs);
    if (sample.outcome === 'failed') this.failed += 1;
    if (sample.outcome !== 'completed') return undefined;
    const figures = foreignFigures(sample);
    this.completed += 1;
    this.latencyNs.add(figures.latencyNs);
    this.startsNs.add(sample.sentNs);
    this.endsNs.add(sample.sentNs + figures.latencyNs);
    for (const key of PARTIAL_KEYS) {
      const figure = figures[key];
      if (figure !== undefined) this[key].add(figure);
    }
    return figures;
  }

  /** undefined if the server did not report them for every request: a partial sum would look like a complete one. */
  tokens(key: 'inputTokens' | 'outputTokens'): number | undefined {
    if (this[key].length < this.completed) return undefined;
    let sum = 0;
    for (const tokens of this[key].inOrder()) sum += tokens;
    return sum;
  }
}

const PARTIAL_KEYS = ['ttftNs', 'secondTokenNs', 'perTokenNs', 'inputTokens', 'outputTokens'] as const;
