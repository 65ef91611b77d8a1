// What tools mean by a name: measures of one request, and rules for a percentile of many. A measure may give a request more
// weight than another, as GuideLLM does by tokens, or several values, as gaps between chunks are.

import {
  choiceCount,
  contentNsOf,
  type EndedSample,
  gapsByChoice,
  lastContentNs,
} from '../run/ended-sample.ts';
import { NO_FIGURE } from '../run/event-record.ts';
import { firstAtLeast, linearPercentile, lowerIndex, type RankedValues } from '../statistics/percentile.ts';
import { RawValues } from '../statistics/raw-values.ts';
import { percentileOf, type TimeStatistic } from './explained-figures.ts';

/** Nanoseconds, and how many values it counts as. */
type Weighted = readonly [ns: number, weight: number];

interface Measure {
  /** A definition, as part of a sentence. */
  readonly text: string;
  /** The file of a tool that stores only the first and the last chunk does not have it. */
  readonly needsChunks?: true;
  readonly of: (sample: EndedSample) => readonly Weighted[];
}

const hasContent = ({ firstContentNs }: EndedSample): boolean => firstContentNs !== NO_FIGURE;

/** Tokens after the first of each choice; 0 if they are unknown. */
const laterTokens = (sample: EndedSample): number =>
  sample.outputTokens === NO_FIGURE || !hasContent(sample)
    ? 0
    : Math.max(0, sample.outputTokens - choiceCount(sample));

const each = (ns: number): readonly Weighted[] => [[ns, 1]];

const weighted = (ns: number, weight: number): readonly Weighted[] => (weight > 0 ? [[ns, weight]] : []);

export const TOOL_MEASURES = {
  firstContent: {
    text: 'sent to the first content',
    of: (sample: EndedSample): readonly Weighted[] =>
      hasContent(sample) ? each(sample.firstContentNs - sample.sentNs) : [],
  },
  toEnd: {
    text: 'sent to the end of the stream',
    of: ({ endNs, sentNs }: EndedSample): readonly Weighted[] => each(endNs - sentNs),
  },
  toLastContent: {
    text: 'sent to the last content',
    of: (sample: EndedSample): readonly Weighted[] => each(lastContentNs(sample) - sample.sentNs),
  },
  perLaterToken: {
    text: '(last − first content) / (tokens − 1), each request once',
    of: (sample: EndedSample): readonly Weighted[] =>
      laterTokens(sample) === 0 ? [] : each(contentNsOf(sample) / laterTokens(sample)),
  },
  perLaterTokenToEnd: {
    text: '(end of the stream − first content) / (tokens − 1), each request once',
    of: (sample: EndedSample): readonly Weighted[] =>
      laterTokens(sample) === 0 ? [] : each((sample.endNs - sample.firstContentNs) / laterTokens(sample)),
  },
  perLaterTokenByTokens: {
    text: '(last − first content) / (tokens − 1), each request once for each of these tokens',
    of: (sample: EndedSample): readonly Weighted[] =>
      weighted(contentNsOf(sample) / Math.max(1, laterTokens(sample)), laterTokens(sample)),
  },
  perTokenFromSent: {
    text: '(last content − sent) / tokens, each request once for each token: the time to the first is inside',
    of: (sample: EndedSample): readonly Weighted[] =>
      weighted(
        (lastContentNs(sample) - sample.sentNs) / Math.max(1, sample.outputTokens),
        sample.outputTokens,
      ),
  },
  gaps: {
    text: 'the gaps between chunks, of all requests together',
    needsChunks: true,
    of: (sample: EndedSample): readonly Weighted[] =>
      hasContent(sample) ? gapsByChoice(sample).map((gap): Weighted => [gap, 1]) : [],
  },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureKey = keyof typeof TOOL_MEASURES;

export const measureRow = (key: MeasureKey): Measure => TOOL_MEASURES[key];

/** Values by rank, each as often as its weight. */
export interface Distribution extends RankedValues {
  readonly mean: number;
}

/** undefined without values. */
export const weightedDistribution = (
  samples: Iterable<EndedSample>,
  measure: (sample: EndedSample) => readonly Weighted[],
): Distribution | undefined => {
  const values = new RawValues();
  const weights = new RawValues();
  let total = 0;
  let sum = 0;
  for (const sample of samples)
    for (const [ns, weight] of measure(sample)) {
      values.add(ns);
      weights.add(weight);
      total += weight;
      sum += ns * weight;
    }
  if (total === 0) return undefined;
  return { mean: sum / total, length: total, at: ranksOf(values, weights, total) };
};

const ranksOf = (values: RawValues, weights: RawValues, total: number): RankedValues['at'] => {
  if (total === values.length) {
    const sorted = values.sorted();
    return rank => sorted[rank];
  }
  const unsorted = values.inOrder();
  const counts = weights.inOrder();
  const order = Uint32Array.from(unsorted, (_, index) => index).sort(
    (one, other) => (unsorted[one] ?? 0) - (unsorted[other] ?? 0),
  );
  let reached = 0;
  const reachedBy = Float64Array.from(order, index => {
    reached += counts[index] ?? 0;
    return reached;
  });
  return rank => unsorted[order[firstAtLeast(reachedBy, rank + 1)] ?? -1];
};

export const PERCENTILE_RULES = {
  lower: {
    text: 'the lower of the two nearest values',
    of: (values: RankedValues, percentile: number): number | undefined =>
      values.at(lowerIndex(percentile, values.length)),
  },
  linear: { text: 'interpolated between the two nearest values', of: linearPercentile },
  cumulative: {
    text: 'the first value whose share of the whole reaches it',
    of: (values: RankedValues, percentile: number): number | undefined =>
      values.at(Math.max(0, Math.ceil((percentile / 100) * values.length - ROUNDING) - 1)),
  },
} as const;

export type PercentileRule = keyof typeof PERCENTILE_RULES;

export const statisticOf = (
  values: Distribution,
  statistic: TimeStatistic,
  rule: PercentileRule,
): number | undefined => {
  const percentile = percentileOf(statistic);
  return percentile === undefined ? values.mean : PERCENTILE_RULES[rule].of(values, percentile);
};

/** 0.95 · 40 is 38.00000000000001 in doubles. */
const ROUNDING = 1e-9;
