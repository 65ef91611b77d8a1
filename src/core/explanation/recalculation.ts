// The figures of one result, calculated again from its requests under other rules or without some of them. A view is what is
// changed; distributions are kept, because the statistics of a family share them.

import { maximumOf, minimumOf } from '../extremes.ts';
import { type EndedSample, lastContentNs, OUTSIDE_WINDOWS } from '../run/ended-sample.ts';
import { NO_FIGURE } from '../run/event-record.ts';
import { isUnknown, type Unknown, unknown } from '../unknown.ts';
import type { TimeStatistic } from './explained-figures.ts';
import { type ExplainedResult, isCacheHit } from './explained-result.ts';
import {
  type Distribution,
  type MeasureKey,
  measureRow,
  type PercentileRule,
  statisticOf,
  weightedDistribution,
} from './measures.ts';
import { TOOL_RULES, type WindowKey } from './tool-rules.ts';

export interface RequestView {
  readonly stamps: 'content' | 'messages';
  /** So many of the first requests are left out, because the other side counts them as warm-up. */
  readonly firstLeftOut: number;
  readonly hasCacheHits: boolean;
  /** Answers have so many tokens for each of their chunks; 0: as they were counted. */
  readonly tokensPerChunk: number;
  /** Factors of each request's tokens. */
  readonly inputFactor: number;
  readonly outputFactor: number;
}

export interface TimeView extends RequestView {
  readonly measure: MeasureKey;
  readonly percentiles: PercentileRule;
}

/** What a rate consists of. */
export interface RateParts {
  readonly completed: number;
  readonly windowNs: number;
  /** From the first to the last send. */
  readonly sendingNs: number;
  readonly latencyNsMean: number;
  /** Mean per completed request; unknown if it is for one of them. */
  readonly inputTokens: number | Unknown;
  readonly outputTokens: number | Unknown;
}

export class Recalculation {
  readonly #result: ExplainedResult;
  readonly #requests = new Map<string, readonly EndedSample[]>();
  readonly #distributions = new Map<string, Distribution | Unknown>();
  #extraMessages: 'none' | 'first and last' | Unknown | undefined;

  constructor(result: ExplainedResult) {
    this.#result = result;
  }

  /** Its own rules, all of its requests. */
  get view(): RequestView {
    return {
      stamps: TOOL_RULES[this.#result.tool].stamps,
      firstLeftOut: 0,
      hasCacheHits: true,
      tokensPerChunk: 0,
      inputFactor: 1,
      outputFactor: 1,
    };
  }

  /** In ns. */
  time(view: TimeView, statistic: TimeStatistic): number | Unknown {
    const values = this.#distribution(view);
    return isUnknown(values)
      ? values
      : (statisticOf(values, statistic, view.percentiles) ?? unknown('no request has the figure'));
  }

  /** Under that definition of the measured time. */
  rate(view: RequestView, window: WindowKey): RateParts | Unknown {
    const { requests } = this.#result;
    if (isUnknown(requests)) return requests;
    const measured = this.#viewed({ ...view, stamps: this.view.stamps });
    const completed = measured.filter(isCompleted);
    if (completed.length === 0) return unknown('no request completed');
    const bounding = window === 'all' ? measured : completed;
    const endOf = window === 'last-content' ? lastContentNs : ({ endNs }: EndedSample): number => endNs;
    const starts = bounding.map(({ sentNs }) => sentNs);
    const firstNs = minimumOf(starts);
    const windowNs = maximumOf(bounding.map(endOf)) - firstNs;
    if (!(windowNs > 0)) return unknown('no time passed between its first request and its last end');
    return {
      completed: completed.length,
      windowNs,
      sendingNs: maximumOf(starts) - firstNs,
      latencyNsMean: sum(completed, ({ endNs, sentNs }) => endNs - sentNs) / completed.length,
      inputTokens: tokensMean(completed, 'inputTokens'),
      outputTokens: tokensMean(completed, 'outputTokens'),
    };
  }

  /** Measured ones, in the order in which they were sent. */
  completed(view: RequestView): readonly EndedSample[] {
    return this.#viewed(view).filter(isCompleted);
  }

  /** Messages with a choice and without content: a role first, a finish reason last. */
  get extraMessages(): 'none' | 'first and last' | Unknown {
    this.#extraMessages ??= extraMessagesOf(
      this.completed({ ...this.view, stamps: 'messages' }),
      this.#result,
    );
    return this.#extraMessages;
  }

  #distribution(view: TimeView): Distribution | Unknown {
    const key = `${keyOf(view)} ${view.measure} ${view.outputFactor} ${view.inputFactor}`;
    const known = this.#distributions.get(key) ?? this.#calculated(view);
    this.#distributions.set(key, known);
    return known;
  }

  #calculated(view: TimeView): Distribution | Unknown {
    const { requests, facts, hasChunks } = this.#result;
    const { measure, inputFactor, outputFactor } = view;
    if (isUnknown(requests)) return requests;
    const { of, needsChunks = false } = measureRow(measure);
    if (needsChunks && !hasChunks) return unknown('its file has no times of single chunks');
    if (!facts.isStreaming && !STREAMLESS.has(measure)) return unknown('its answers were not streamed');
    const completed = this.completed(view);
    const inputSlope = inputFactor === 1 ? 0 : (firstTokenSlope(completed, inputFactor) ?? 0);
    const scaled = (sample: EndedSample): EndedSample =>
      withLengths(sample, { inputFactor, outputFactor, inputSlope });
    return (
      weightedDistribution(
        completed,
        inputFactor === 1 && outputFactor === 1 ? of : sample => of(scaled(sample)),
      ) ?? unknown('no request has the figure')
    );
  }

  #viewed(view: RequestView): readonly EndedSample[] {
    const { requests } = this.#result;
    if (isUnknown(requests)) return [];
    const key = keyOf(view);
    const known = this.#requests.get(key);
    if (known !== undefined) return known;
    const measured = requests
      .filter(({ window }) => window !== OUTSIDE_WINDOWS)
      .toSorted((one, other) => one.sentNs - other.sentNs)
      .slice(view.firstLeftOut)
      .filter(sample => view.hasCacheHits || !isCacheHit(sample));
    const isPeeled = this.view.stamps === 'messages' && view.stamps === 'content';
    const peeled =
      isPeeled && this.extraMessages === 'first and last' ? measured.map(withoutEmptyMessages) : measured;
    const viewed =
      view.tokensPerChunk === 0
        ? peeled
        : peeled.map(sample => ({ ...sample, outputTokens: sample.chunkCount * view.tokensPerChunk }));
    this.#requests.set(key, viewed);
    return viewed;
  }
}

/** Those of a client that times every message with a choice, as far as counts show them. */
const extraMessagesOf = (
  completed: readonly EndedSample[],
  { hasChunks }: ExplainedResult,
): 'none' | 'first and last' | Unknown => {
  if (!hasChunks) return unknown('its file has no times of single messages');
  const extras = new Set(completed.map(({ chunkCount, outputTokens }) => chunkCount - outputTokens));
  const [extra] = extras;
  if (extras.size === 1 && extra === 0) return 'none';
  if (extras.size === 1 && extra === 2) return 'first and last';
  return unknown(
    'its first message may have been a role without content: the counts of messages and tokens do not show it',
  );
};

const withoutEmptyMessages = (sample: EndedSample): EndedSample => {
  const [first = 0, ...rest] = sample.chunkGapsNs;
  return {
    ...sample,
    firstContentNs: sample.firstContentNs + first,
    chunkGapsNs: rest.slice(0, -1),
    chunkCount: Math.max(1, sample.chunkCount - 2),
  };
};

interface Lengths {
  readonly inputFactor: number;
  readonly outputFactor: number;
  /** Of the time to the first content, ns per token of the prompt. */
  readonly inputSlope: number;
}

/** At its own speed. */
const withLengths = (
  sample: EndedSample,
  { inputFactor, outputFactor, inputSlope }: Lengths,
): EndedSample => {
  const laterNs = inputSlope * (inputFactor - 1) * Math.max(0, sample.inputTokens);
  const { outputTokens, chunkGapsNs } = sample;
  const stretch =
    outputTokens > 1 ? Math.max(0, outputTokens * outputFactor - 1) / (outputTokens - 1) : outputFactor;
  const gapsNs = chunkGapsNs.map(gap => gap * stretch);
  const addedNs = sum(gapsNs, gap => gap) - sum(chunkGapsNs, gap => gap);
  return {
    ...sample,
    firstContentNs: sample.firstContentNs === NO_FIGURE ? NO_FIGURE : sample.firstContentNs + laterNs,
    chunkGapsNs: gapsNs,
    endNs: sample.endNs + laterNs + addedNs,
    outputTokens: outputTokens === NO_FIGURE ? NO_FIGURE : outputTokens * outputFactor,
  };
};

/**
 * Ns of the time to the first content per token of the prompt, by least squares; undefined if prompts are of one length, if the
 * slope is less than twice its standard error, or if prompts longer by `factor` would be far outside of those that were sent.
 */
export const firstTokenSlope = (completed: readonly EndedSample[], factor: number): number | undefined => {
  const points = completed.filter(
    ({ inputTokens, firstContentNs }) => inputTokens !== NO_FIGURE && firstContentNs !== NO_FIGURE,
  );
  const count = points.length;
  if (count < POINTS_LEAST) return undefined;
  const ns = ({ firstContentNs, sentNs }: EndedSample): number => firstContentNs - sentNs;
  const meanTokens = sum(points, ({ inputTokens }) => inputTokens) / count;
  const meanNs = sum(points, ns) / count;
  const spread = sum(points, ({ inputTokens }) => (inputTokens - meanTokens) ** 2);
  const [shortest, longest] = [minimumOf, maximumOf].map(of => of(points.map(point => point.inputTokens)));
  if (shortest === undefined || longest === undefined || shortest === longest) return undefined;
  const beyond = (longest - shortest) * BEYOND_RANGE;
  if (meanTokens * factor < shortest - beyond || meanTokens * factor > longest + beyond) return undefined;
  const slope = sum(points, point => (point.inputTokens - meanTokens) * (ns(point) - meanNs)) / spread;
  const residual = sum(points, point => (ns(point) - meanNs - slope * (point.inputTokens - meanTokens)) ** 2);
  const error = Math.sqrt(residual / (count - 2) / spread);
  return slope > 2 * error ? slope : undefined;
};

/** Unknown if it is for one of them. */
export const tokensMean = (
  completed: readonly EndedSample[],
  key: 'inputTokens' | 'outputTokens',
): number | Unknown => {
  if (completed.length === 0) return unknown('no request completed');
  return completed.every(sample => sample[key] !== NO_FIGURE)
    ? sum(completed, sample => sample[key]) / completed.length
    : unknown('tokens are not reported for every request');
};

const isCompleted = ({ outcome }: EndedSample): boolean => outcome === 'completed';

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((all, item) => all + of(item), 0);

const keyOf = ({ stamps, firstLeftOut, hasCacheHits, tokensPerChunk }: RequestView): string =>
  `${stamps} ${firstLeftOut} ${hasCacheHits} ${tokensPerChunk}`;

/** What a reply that came at once has too. */
const STREAMLESS: ReadonlySet<MeasureKey> = new Set(['toEnd', 'toLastContent']);
/** Of the range of prompts: so far beyond it their slope is taken to hold. */
const BEYOND_RANGE = 0.5;
/** Fewer prompts show no slope. */
const POINTS_LEAST = 8;
