// Why a time differs: the steps from A's figure to B's, in their order.

import { counted, formatThreeDigits } from '../figure/figure.ts';
import type { ContaminationCode } from '../run/contamination.ts';
import { isKnown, isUnknown, type Unknown } from '../unknown.ts';
import type { ExplainedFigure } from './explained-figures.ts';
import { cacheHits } from './explained-result.ts';
import {
  computed,
  countStep,
  DifferenceSteps,
  type ExplainedSide,
  estimated,
  LETTERS,
  type Letter,
  nameOf,
  OTHER,
  SAME,
  type Sides,
  type Step,
  uncomputed,
  warmupStep,
} from './explained-side.ts';
import type { EffectCode } from './explanation-document.ts';
import { PERCENTILE_RULES, TOOL_MEASURES } from './measures.ts';
import { firstTokenSlope, type RequestView, type TimeView, tokensMean } from './recalculation.ts';
import { TOOL_RULES } from './tool-rules.ts';

type TimeFigure = Extract<ExplainedFigure, { readonly kind: 'time' }>;

/** @param load how the loads differ; undefined if they do not */
export const timeSteps = (
  figure: TimeFigure,
  sides: Sides,
  load: string | undefined,
): DifferenceSteps<TimeView> => {
  const steps = new DifferenceSteps<TimeView>(
    { a: ownView(sides.a, figure), b: ownView(sides.b, figure) },
    (on, view) => sides[on].again.time(view, figure.statistic),
  );
  for (const [code, step] of STEPS) steps.take(code, step({ figure, sides, views: steps.views }));
  if (load !== undefined) steps.take('load', uncomputed(load));
  return steps;
};

/** By the rules of the other tool, from its own requests. */
export const timeByOther = (figure: TimeFigure, sides: Sides, on: Letter): number | Unknown => {
  const { measure, percentiles, stamps } = ownView(sides[OTHER[on]], figure);
  const own = ownView(sides[on], figure);
  const { again } = sides[on];
  if (own.stamps === stamps) return again.time({ ...own, measure, percentiles }, figure.statistic);
  if (isUnknown(sides[on].result.requests)) return sides[on].result.requests;
  if (own.stamps === 'content') return { kind: 'unknown', reason: 'messages without content are not stored' };
  return isUnknown(again.extraMessages)
    ? again.extraMessages
    : again.time({ ...own, stamps, measure, percentiles }, figure.statistic);
};

const ownView = ({ result, again }: ExplainedSide, { family }: TimeFigure): TimeView => {
  const { measures, percentiles } = TOOL_RULES[result.tool];
  return { ...again.view, measure: measures[family], percentiles };
};

interface StepContext {
  readonly figure: TimeFigure;
  readonly sides: Sides;
  readonly views: Readonly<Record<Letter, TimeView>>;
}

type TimeStep = (context: StepContext) => Step<TimeView>;

/** A client that times every message with a choice also times a role and a finish reason. */
const messagesStep: TimeStep = ({ sides, views }) => {
  if (views.a.stamps === views.b.stamps) return SAME;
  const on: Letter = views.a.stamps === 'messages' ? 'a' : 'b';
  const { result, again } = sides[on];
  const what = `${nameOf(on)} times every message with a choice, also without content`;
  if (isUnknown(result.requests)) return uncomputed(`${what}; ${result.requests.reason}`);
  const extra = again.extraMessages;
  if (isUnknown(extra)) return uncomputed(`${what}; ${extra.reason}`);
  return extra === 'none'
    ? SAME
    : computed({
        on,
        view: { ...views[on], stamps: 'content' },
        evidence: `${what}: each of its requests has two more messages than tokens, the first and the last`,
      });
};

const definitionStep: TimeStep = ({ views }) =>
  views.a.measure === views.b.measure
    ? SAME
    : swapped(
        views,
        'measure',
        `A: ${TOOL_MEASURES[views.a.measure].text}. B: ${TOOL_MEASURES[views.b.measure].text}`,
      );

const percentileStep: TimeStep = ({ figure, views }) =>
  figure.statistic === 'mean' || views.a.percentiles === views.b.percentiles
    ? SAME
    : swapped(
        views,
        'percentiles',
        `A: ${PERCENTILE_RULES[views.a.percentiles].text}. B: ${PERCENTILE_RULES[views.b.percentiles].text}`,
      );

/** The rule of the other side on A's requests, else on B's. */
const swapped = (
  views: StepContext['views'],
  key: 'measure' | 'percentiles',
  evidence: string,
): Step<TimeView> =>
  computed(...LETTERS.map(on => ({ on, view: { ...views[on], [key]: views[OTHER[on]][key] }, evidence })));

const cacheStep =
  (on: Letter): TimeStep =>
  ({ figure, sides, views }) => {
    if (!STARTED_BY_PROMPT.has(figure.family)) return SAME;
    const own = cacheHits(sides[on].again.completed(views[on]));
    if (isUnknown(own)) return cacheNamed(sides, on);
    if (own.hits === 0) return SAME;
    const other = cacheHits(sides[OTHER[on]].again.completed(views[OTHER[on]]));
    const share = `${own.hits} of ${counted(own.of, 'prompt')} of ${nameOf(on)} hit the server's cache`;
    if (isUnknown(other)) return uncomputed(`${share}; of ${nameOf(OTHER[on])} it is not reported`);
    if (Math.abs(own.hits / own.of - other.hits / other.of) < SAME_SHARE) return SAME;
    return own.hits === own.of
      ? uncomputed(`${share}: none is left to compare them with`)
      : computed({
          on,
          view: { ...views[on], hasCacheHits: false },
          evidence: `${share}, ${other.hits} of ${other.of} of ${nameOf(OTHER[on])}: ${nameOf(on)} without those`,
        });
  };

/** By the server's metrics or by its answers, without the number of each request. */
const cacheNamed = (sides: Sides, on: Letter): Step<TimeView> => {
  const codesOf = (side: Letter): readonly string[] => {
    const { spoiledBy } = sides[side].result.facts;
    return isKnown(spoiledBy) ? spoiledBy.split(', ').filter(code => CACHE_CODES.has(code)) : [];
  };
  const codes = codesOf(on).filter(code => !codesOf(OTHER[on]).includes(code));
  return codes.length === 0
    ? SAME
    : uncomputed(
        `the report of ${nameOf(on)} finds ${codes.join(' and ')}, not for single requests, and that of ${nameOf(OTHER[on])} does not`,
      );
};

const CACHE_CODES: ReadonlySet<string> = new Set<ContaminationCode>(['answer-cache', 'prefix-cache']);

const inputStep: TimeStep = ({ figure, sides, views }) => {
  const { a, b } = sides;
  const lengths = lengthDifference(sides, views, 'inputTokens');
  if (!STARTED_BY_PROMPT.has(figure.family) || lengths === undefined) return SAME;
  const evidence = `prompts of ${lengths.text} tokens`;
  if (TOOL_RULES[a.result.tool].inputCount !== TOOL_RULES[b.result.tool].inputCount)
    return uncomputed(
      `${evidence}, which one tool takes from the server, with its chat template, and the other from a tokenizer, unless it was set otherwise`,
    );
  const fitting = LETTERS.filter(
    on => firstTokenSlope(sides[on].again.completed(views[on]), lengths.factor[on]) !== undefined,
  );
  return fitting.length === 0
    ? uncomputed(`${evidence}; neither side shows how the time to the first token depends on the prompt`)
    : estimated(
        ...fitting.map(on => ({
          on,
          view: { ...views[on], inputFactor: lengths.factor[on] },
          evidence: `${evidence}, by the slope of the time to the first token over the prompts of ${nameOf(on)}`,
        })),
      );
};

const outputStep: TimeStep = ({ figure, sides, views }) => {
  const lengths = lengthDifference(sides, views, 'outputTokens');
  if (figure.family === 'ttft' || lengths === undefined) return SAME;
  if (!isCountedAlready(sides, views))
    return uncomputed(
      `answers of ${lengths.text} tokens, which one tool takes from the server and the other from a tokenizer, unless it was set otherwise`,
    );
  if (figure.family !== 'latency') return SAME;
  return estimated(
    ...LETTERS.map(on => ({
      on,
      view: { ...views[on], outputFactor: lengths.factor[on] },
      evidence: `answers of ${lengths.text} tokens: each of ${nameOf(on)} at its own time per token`,
    })),
  );
};

/** By one rule: that of both tools, or that of the server after a step. */
export const isCountedAlready = ({ a, b }: Sides, views: Readonly<Record<Letter, RequestView>>): boolean =>
  TOOL_RULES[a.result.tool].outputCount === TOOL_RULES[b.result.tool].outputCount ||
  LETTERS.some(on => views[on].tokensPerChunk > 0);

/** undefined if they are equal or unknown. */
export const lengthDifference = (
  sides: Sides,
  views: Readonly<Record<Letter, RequestView>>,
  key: 'inputTokens' | 'outputTokens',
): { readonly factor: Readonly<Record<Letter, number>>; readonly text: string } | undefined => {
  const meanOf = (on: Letter): number | Unknown => {
    const { result, again } = sides[on];
    return isUnknown(result.requests) ? result.facts[key] : tokensMean(again.completed(views[on]), key);
  };
  const [one, other] = [meanOf('a'), meanOf('b')];
  if (!isKnown(one) || !isKnown(other) || one <= 0 || other <= 0) return undefined;
  const factor = other / one;
  return Math.abs(factor - 1) < SAME_SHARE
    ? undefined
    : {
        factor: { a: factor, b: 1 / factor },
        text: `${formatThreeDigits(one)} (A) and ${formatThreeDigits(other)} (B)`,
      };
};

const STEPS: readonly (readonly [EffectCode, TimeStep])[] = [
  ['messages', messagesStep],
  ['token-count', ({ sides, views }) => countStep(sides, views)],
  ['definition', definitionStep],
  ['percentile', percentileStep],
  ['warm-up', ({ sides, views }) => warmupStep(sides, views)],
  ['cache', cacheStep('a')],
  ['cache', cacheStep('b')],
  ['input-lengths', inputStep],
  ['output-lengths', outputStep],
];

/** What depends on the time for the prompt. */
const STARTED_BY_PROMPT: ReadonlySet<TimeFigure['family']> = new Set(['ttft', 'latency']);
/** Shares and lengths that differ by less are the same. */
const SAME_SHARE = 0.005;
