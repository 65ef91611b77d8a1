// From the requests of a depth profile to its rows: tokens per second of reading and writing at each depth,
// with the spread over repetitions. Whether the context came from a prefix cache or was read again decides
// what a time to first token means, so it is determined for each pair and reported.

import * as v from 'valibot';
import { counted } from '../figure/figure.ts';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import {
  DEPTH_REPETITIONS_MAX,
  DEPTHS_MAX,
  type DepthPlan,
  depthPlanSchema,
  depthRequests,
} from './depth-plan.ts';

/** One request at its end. Times in ns; undefined: missing, or not reported. */
export interface DepthSample {
  /** In the order of depthRequests. */
  readonly index: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly ttftNs: number | undefined;
  readonly tpotNs: number | undefined;
  /** Why it gave no figure; undefined: it completed. */
  readonly problem: string | undefined;
}

export const DEPTH_TESTS = ['whole', 'reading', 'writing'] as const;

/**
 * Where the context came from when its request was timed: `cached` from the server's cache of prefixes,
 * `read` again, minus the time that the opening took, `mixed`: the repetitions differ.
 */
export type PrefixUse = (typeof PREFIX_USES)[number];
export const PREFIX_USES = ['none', 'cached', 'read', 'mixed', 'unclear'] as const;

export const rowSchema = openObject({
  test: v.picklist(DEPTH_TESTS),
  /** As requested. */
  depth: count,
  /** Tokens read or written, as requested. */
  tokens: count,
  /** Tokens before what was measured, as the server counted them, mean. */
  contextTokens: reported(figure),
  tokensPerSecond: reported(
    openObject({
      mean: figure,
      stdDev: reported(figure),
      values: v.pipe(v.array(figure), v.maxLength(DEPTH_REPETITIONS_MAX)),
    }),
  ),
  prefix: v.picklist(PREFIX_USES),
  /** What a reader must know in addition to the figure. */
  remarks: list(text),
});

export const depthProfileSchema = openObject({
  plan: depthPlanSchema,
  rows: v.pipe(v.array(rowSchema), v.maxLength(3 * DEPTHS_MAX)),
});

export type DepthProfile = Infer<typeof depthProfileSchema>;

export type DepthRow = Infer<typeof rowSchema>;

export type Spread = {
  readonly mean: number;
  /** Over repetitions; unknown for a single one. */
  readonly stdDev: Reported<number>;
  readonly values: readonly number[];
};

/**
 * "pp512 @ d4096", "tg128", "pp4096": as llama-bench names its tests. A context that is as long as the prompt
 * after it is "pp512 context": "pp512" is the prompt without one.
 */
export const depthTestName = (
  { test, depth, tokens }: Pick<DepthRow, 'test' | 'depth' | 'tokens'>,
  { promptTokens }: Pick<DepthPlan, 'promptTokens'>,
): string => {
  const name = `${test === 'writing' ? 'tg' : 'pp'}${tokens}`;
  if (test === 'whole') return tokens === promptTokens ? `${name} context` : name;
  return depth === 0 ? name : `${name} @ d${depth}`;
};

export const depthProfile = (plan: DepthPlan, samples: readonly DepthSample[]): DepthProfile => {
  const byIndex = new Map(samples.map(sample => [sample.index, sample]));
  const requests = depthRequests(plan).map((request, index) => ({ request, sample: byIndex.get(index) }));
  const of = (kind: 'opening' | 'extension', depth: number): readonly (DepthSample | undefined)[] =>
    requests.flatMap(({ request, sample }) =>
      request.kind === kind && request.depth === depth ? [sample] : [],
    );
  return {
    plan,
    rows: plan.depths.flatMap(depth => {
      const openings = of('opening', depth);
      const extensions = of('extension', depth);
      const pairs = openings.map((opening, round) => ({ opening, extension: extensions[round] }));
      return [
        ...(depth === 0 ? [] : [wholeRow(depth, openings)]),
        readingRow(depth, plan.promptTokens, pairs),
        writingRow(depth, plan.outputTokens, openings),
      ];
    }),
  };
};

const wholeRow = (depth: number, openings: readonly (DepthSample | undefined)[]): DepthRow => {
  const found = openings.map((sample): Measured => {
    const reported = completed(sample);
    if (isUnknown(reported)) return reported;
    const { inputTokens, cachedTokens = 0, ttftNs } = reported;
    if (inputTokens === undefined) return unknown('token usage is not reported by the server');
    if (ttftNs === undefined) return unknown('no token came');
    const read = inputTokens - cachedTokens;
    if (cachedTokens > CACHED_LEAST * inputTokens)
      return unknown(
        `the server had ${cachedTokens} of ${counted(inputTokens, 'token')} in its cache of prefixes`,
      );
    return { rate: (read * SECOND_NS) / ttftNs, context: 0, prefix: 'none', remarks: [] };
  });
  return row({ test: 'whole', depth, tokens: depth }, found);
};

const writingRow = (
  depth: number,
  tokens: number,
  openings: readonly (DepthSample | undefined)[],
): DepthRow => {
  const found = openings.map((sample): Measured => {
    const reported = completed(sample);
    if (isUnknown(reported)) return reported;
    const { outputTokens, tpotNs, inputTokens } = reported;
    if (outputTokens === undefined) return unknown('token usage is not reported by the server');
    if (outputTokens < WRITTEN_LEAST || tpotNs === undefined || tpotNs <= 0)
      return unknown(`an answer of ${counted(outputTokens, 'token')} is too short to measure`);
    return {
      rate: SECOND_NS / tpotNs,
      context: inputTokens,
      prefix: 'none',
      remarks: outputTokens < tokens ? [`answers had ${outputTokens} of ${counted(tokens, 'token')}`] : [],
    };
  });
  return row({ test: 'writing', depth, tokens }, found);
};

interface Pair {
  readonly opening: DepthSample | undefined;
  readonly extension: DepthSample | undefined;
}

const readingRow = (depth: number, tokens: number, pairs: readonly Pair[]): DepthRow =>
  row({ test: 'reading', depth, tokens }, pairs.map(readingOf));

/** The time to first token covers the new tokens alone only if the context was in the cache. */
const readingOf = ({ opening, extension }: Pair): Measured => {
  const first = completed(opening);
  if (isUnknown(first)) return first;
  const second = completed(extension);
  if (isUnknown(second)) return second;
  const [before, all] = [first.inputTokens, second.inputTokens];
  if (before === undefined || all === undefined) return unknown('token usage is not reported by the server');
  if (first.ttftNs === undefined || second.ttftNs === undefined) return unknown('no token came');
  const added = all - before;
  if (added <= 0)
    return unknown(`the server counted ${counted(all, 'token')} where ${before} and more were sent`);
  const { cachedTokens } = second;
  const cached = (cachedTokens: number, remarks: readonly string[]): Measured => ({
    rate: ((all - cachedTokens) * SECOND_NS) / (second.ttftNs ?? 1),
    context: cachedTokens,
    prefix: 'cached',
    remarks,
  });
  if (cachedTokens !== undefined && cachedTokens > 0 && cachedTokens >= CACHED_SHARE_LEAST * before)
    return cached(cachedTokens, []);
  // A context of a few tokens does not matter, whether it is cached or not.
  if (before < added * CLEAR_SHARE)
    return {
      rate: ((all - (cachedTokens ?? 0)) * SECOND_NS) / second.ttftNs,
      context: cachedTokens ?? 0,
      prefix: 'none',
      remarks:
        cachedTokens === undefined
          ? [
              `the server does not report whether ${before} of ${counted(all, 'token')} were in its cache, so the rate may be lower`,
            ]
          : [],
    };
  if (cachedTokens !== undefined && cachedTokens > CACHED_LEAST * before)
    return cached(cachedTokens, [`the cache held ${cachedTokens} of ${counted(before, 'token')}`]);
  const use = cachedTokens === undefined ? useByTime(before, all, first.ttftNs, second.ttftNs) : 'read';
  if (use === 'unclear')
    return unknown('the server does not report what it had in its cache, and the times fit both cases');
  if (use === 'cached') return cached(before, ['the times show that the context was in the cache']);
  if (second.ttftNs <= first.ttftNs) return unknown('the longer prompt was read in less time');
  return {
    rate: (added * SECOND_NS) / (second.ttftNs - first.ttftNs),
    context: before,
    prefix: 'read',
    remarks: ['the context was read again: the difference of two times to first token'],
  };
};

/** Which of the two the times are nearer to; neither if they are in the middle. */
const useByTime = (
  before: number,
  all: number,
  firstNs: number,
  secondNs: number,
): 'cached' | 'read' | 'unclear' => {
  const readNs = (firstNs * all) / before;
  const cachedNs = (firstNs * (all - before)) / before;
  const middleNs = Math.sqrt(readNs * cachedNs);
  if (secondNs > middleNs * UNCLEAR_FACTOR) return 'read';
  return secondNs < middleNs / UNCLEAR_FACTOR ? 'cached' : 'unclear';
};

interface Speed {
  readonly rate: number;
  readonly context: number | undefined;
  readonly prefix: PrefixUse;
  readonly remarks: readonly string[];
}
type Measured = Speed | Unknown;

const completed = (sample: DepthSample | undefined): DepthSample | Unknown => {
  if (sample === undefined) return unknown('the run ended before it');
  return sample.problem === undefined ? sample : unknown(sample.problem);
};

const row = (of: Pick<DepthRow, 'test' | 'depth' | 'tokens'>, all: readonly Measured[]): DepthRow => {
  const good = all.filter(isKnown);
  const reasons = [...new Set(all.flatMap(each => (isUnknown(each) ? [each.reason] : [])))];
  if (good.length === 0)
    return {
      ...of,
      contextTokens: unknown(reasons[0] ?? 'not measured'),
      tokensPerSecond: unknown(reasons[0] ?? 'not measured'),
      prefix: 'unclear',
      remarks: [],
    };
  const values = good.map(({ rate }) => rate);
  const contexts = good.flatMap(({ context }) => (context === undefined ? [] : [context]));
  const uses = new Set(good.map(({ prefix }) => prefix));
  const [use = 'unclear'] = uses;
  return {
    ...of,
    contextTokens:
      contexts.length === 0 ? unknown('token usage is not reported by the server') : mean(contexts),
    tokensPerSecond: { mean: mean(values), stdDev: stdDevOf(values), values },
    prefix: uses.size > 1 ? 'mixed' : use,
    remarks: [
      ...new Set(good.flatMap(({ remarks }) => remarks)),
      ...(reasons.length === 0
        ? []
        : [`${all.length - good.length} of ${all.length} have no rate: ${reasons.join('; ')}`]),
    ].slice(0, REMARKS_MAX),
  };
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Standard deviation of the sample, n − 1. */
const stdDevOf = (values: readonly number[]): Reported<number> => {
  if (values.length < 2) return unknown('a single repetition');
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
};

const SECOND_NS = 1e9;
/**
 * Share of the context: above the first a cache was used, from the second on it was used for the whole
 * context.
 */
const CACHED_LEAST = 0.1;
const CACHED_SHARE_LEAST = 0.9;
/** A context below this share of what is added does not matter. */
const CLEAR_SHARE = 0.1;
const UNCLEAR_FACTOR = 1.25;
/** The interval between two tokens is not a rate. */
const WRITTEN_LEAST = 8;
const REMARKS_MAX = 4;
