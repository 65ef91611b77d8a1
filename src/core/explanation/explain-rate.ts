// Why a rate differs. Its window is taken as a time is: by the rules of the other side. What remains follows from two identities,
// which hold exactly for the requests of a run: rate = requests in flight / latency, and in an open loop
// rate = requests / (time of sending + time until the last end).

import { measuredTimeText } from '../figure/duration.ts';
import { counted, formatThreeDigits } from '../figure/figure.ts';
import { isOpenLoop } from '../run/run-pattern.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import { isCountedAlready, lengthDifference } from './explain-time.ts';
import { EXPLAINED_RATES, type ExplainedFigure } from './explained-figures.ts';
import {
  computed,
  countStep,
  DifferenceSteps,
  type ExplainedSide,
  LETTERS,
  type Letter,
  nameOf,
  OTHER,
  SAME,
  type Sides,
  type Step,
  warmupStep,
} from './explained-side.ts';
import type { RateParts, RequestView } from './recalculation.ts';
import { TOOL_RULES, WINDOW_TEXTS, type WindowKey } from './tool-rules.ts';

type RateFigure = Extract<ExplainedFigure, { readonly kind: 'rate' }>;

export interface RateView extends RequestView {
  /** 'own': as the tool took it itself, which only what it printed has. */
  readonly window: WindowKey | 'own';
}

/** @param load how the loads differ; undefined if they do not */
export const rateSteps = (
  figure: RateFigure,
  sides: Sides,
  load: string | undefined,
): DifferenceSteps<RateView> => {
  const steps = new DifferenceSteps<RateView>(
    { a: ownView(figure, sides, 'a'), b: ownView(figure, sides, 'b') },
    (on, view) => rateOf(figure, sides, on, view),
  );
  for (const on of LETTERS) steps.take('window', clockStep(figure, sides, steps.views, on));
  steps.take('window', windowStep(steps.views));
  steps.take('token-count', countStep(sides, steps.views));
  steps.take('warm-up', warmupStep(sides, steps.views));
  cross(figure, sides, steps, load);
  return steps;
};

/** By the rules of the other tool, from its own requests. */
export const rateByOther = (figure: RateFigure, sides: Sides, on: Letter): number | Unknown =>
  rateOf(figure, sides, on, {
    ...sides[on].again.view,
    window: TOOL_RULES[sides[OTHER[on]].result.tool].window,
  });

const ownView = (figure: RateFigure, sides: Sides, on: Letter): RateView => {
  const { result, again } = sides[on];
  const { hasOwnClock, window } = TOOL_RULES[result.tool];
  return { ...again.view, window: hasOwnClock && result.printed[figure.key] !== undefined ? 'own' : window };
};

const rateOf = (figure: RateFigure, sides: Sides, on: Letter, view: RateView): number | Unknown => {
  const { result, again } = sides[on];
  if (view.window === 'own')
    return result.printed[figure.key] ?? { kind: 'unknown', reason: 'it was not printed' };
  const parts = again.rate(view, view.window);
  if (isUnknown(parts)) return parts;
  const amount = amountEach(figure, parts);
  return isUnknown(amount) ? amount : (parts.completed * amount * 1e9) / parts.windowNs;
};

/** What each completed request adds: itself, or its tokens. */
const amountEach = (
  { tokens }: Pick<RateFigure, 'tokens'>,
  { inputTokens, outputTokens }: RateParts,
): number | Unknown => {
  switch (tokens) {
    case 'none':
      return 1;
    case 'output':
      return outputTokens;
    case 'all':
      if (isUnknown(inputTokens)) return inputTokens;
      return isUnknown(outputTokens) ? outputTokens : inputTokens + outputTokens;
    default:
      return tokens satisfies never;
  }
};

const clockStep = (
  figure: RateFigure,
  sides: Sides,
  views: Readonly<Record<Letter, RateView>>,
  on: Letter,
): Step<RateView> => {
  if (views[on].window !== 'own') return SAME;
  const { result, again } = sides[on];
  const { window } = TOOL_RULES[result.tool];
  const view: RateView = { ...views[on], window };
  const parts = again.rate(view, window);
  const printed = result.printed.requestsPerSecond;
  const lasted =
    isUnknown(parts) || printed === undefined
      ? ''
      : `: ${measuredTimeText((parts.completed / printed) * 1e9)}, and ${measuredTimeText(parts.windowNs)} from ${WINDOW_TEXTS[window]}`;
  return computed({
    on,
    view,
    evidence: `${nameOf(on)} divides ${EXPLAINED_RATES[figure.key].label} by a time of its own clock${lasted}`,
  });
};

const windowStep = (views: Readonly<Record<Letter, RateView>>): Step<RateView> => {
  const [one, other] = [views.a.window, views.b.window];
  if (one === other || one === 'own' || other === 'own') return SAME;
  const evidence = `A: ${WINDOW_TEXTS[one]}. B: ${WINDOW_TEXTS[other]}`;
  return computed(
    ...LETTERS.map(on => ({ on, view: { ...views[on], window: views[OTHER[on]].window }, evidence })),
  );
};

/** From A's requests to B's, both counted in the same way. */
const cross = (
  figure: RateFigure,
  sides: Sides,
  steps: DifferenceSteps<RateView>,
  load: string | undefined,
): void => {
  const [a, b] = [partsOf(sides, steps, 'a'), partsOf(sides, steps, 'b')];
  if (isUnknown(a) || isUnknown(b)) {
    crossTotals(figure, sides, steps);
    if (load !== undefined) steps.take('load', { kind: 'uncomputed', reason: load });
    return;
  }
  const eachA = amountEach(figure, a);
  if (isUnknown(eachA) || isUnknown(amountEach(figure, b))) return;
  const isOpen = LETTERS.every(on => isOpenLoop(sides[on].result.facts.pattern));
  if (isOpen) openLoop(steps, a, b, eachA);
  else closedLoop(sides, steps, a, b, eachA);
  tokenEffects(figure, steps, a, b);
};

/** B's requests per second, each with A's tokens and then with its own. */
const tokenEffects = (
  figure: RateFigure,
  steps: DifferenceSteps<RateView>,
  a: RateParts,
  b: RateParts,
): void => {
  const sides = [
    ['input-lengths', 'inputTokens', ['all']],
    ['output-lengths', 'outputTokens', ['output', 'all']],
  ] as const;
  for (const [code, key, of] of sides) {
    const [eachA, eachB] = [a[key], b[key]];
    if (!of.some(tokens => tokens === figure.tokens) || isUnknown(eachA) || isUnknown(eachB)) continue;
    steps.effects.push({
      code,
      basis: 'computed',
      on: 'b',
      effect: perSecond(b) * (eachB - eachA),
      evidence: `${formatThreeDigits(eachA)} (A) and ${formatThreeDigits(eachB)} (B) tokens for each request`,
    });
  }
};

/** What is left of it is the latency: it is explained there, and in the rest here. */
const closedLoop = (
  sides: Sides,
  steps: DifferenceSteps<RateView>,
  a: RateParts,
  b: RateParts,
  each: number,
): void => {
  const [flightA, flightB] = [inFlight(a), inFlight(b)];
  if (flightA !== flightB)
    steps.effects.push({
      code: 'load',
      basis: 'computed',
      on: 'b',
      effect: ((flightB - flightA) / a.latencyNsMean) * 1e9 * each,
      evidence: `on average ${fourDigits(flightA)} (A) and ${fourDigits(flightB)} (B) requests in flight, at A's mean latency`,
    });
  const lengths = lengthDifference(sides, steps.views, 'outputTokens');
  if (lengths === undefined || !isCountedAlready(sides, steps.views)) return;
  const { a: factor } = lengths.factor;
  const scaled = sides.a.again.time(
    { ...steps.views.a, measure: 'toEnd', percentiles: 'lower', outputFactor: factor },
    'mean',
  );
  if (!isUnknown(scaled))
    steps.effects.push({
      code: 'output-lengths',
      basis: 'estimated',
      on: 'a',
      effect: (flightB / scaled - flightB / a.latencyNsMean) * 1e9 * each,
      evidence: `answers of ${lengths.text} tokens: each of A at its own time per token`,
    });
};

const openLoop = (steps: DifferenceSteps<RateView>, a: RateParts, b: RateParts, each: number): void => {
  const [rateA, rateB] = [perSecond(a), perSecond(b)];
  const [sentA, sentB] = [a.completed / a.sendingNs, b.completed / b.sendingNs];
  const moved = 1e9 / (1 / sentB + (a.windowNs - a.sendingNs) / a.completed);
  steps.effects.push(
    {
      code: 'load',
      basis: 'computed',
      on: 'b',
      effect: (moved - rateA) * each,
      evidence: `sent at ${fourDigits(sentA * 1e9)} (A) and ${fourDigits(sentB * 1e9)} (B) requests/s`,
    },
    {
      code: 'window',
      basis: 'computed',
      on: 'b',
      effect: (rateB - moved) * each,
      evidence: `after the last request was sent, A waited ${measuredTimeText(a.windowNs - a.sendingNs)} for ${counted(a.completed, 'request')}, B ${measuredTimeText(b.windowNs - b.sendingNs)} for ${b.completed}`,
    },
  );
};

/** Without the requests of one side: the tokens of each, by its totals. */
const crossTotals = (figure: RateFigure, sides: Sides, steps: DifferenceSteps<RateView>): void => {
  const rateB = sides.b.result.printed.requestsPerSecond;
  if (figure.tokens === 'none' || rateB === undefined) return;
  const [a, b] = [totalsEach(sides.a), totalsEach(sides.b)];
  const effects = [
    ['input-lengths', a.input, b.input, ['all']],
    ['output-lengths', a.output, b.output, ['output', 'all']],
  ] as const;
  for (const [code, eachA, eachB, of] of effects) {
    if (!of.some(tokens => tokens === figure.tokens)) continue;
    if (eachA === undefined || eachB === undefined || eachA === eachB) continue;
    steps.effects.push({
      code,
      basis: 'computed',
      on: 'b',
      effect: rateB * (eachB - eachA),
      evidence: `${formatThreeDigits(eachA)} (A) and ${formatThreeDigits(eachB)} (B) tokens for each request, by their totals`,
    });
  }
};

/** Tokens for each request, of what was printed. */
const totalsEach = ({ result: { printed } }: ExplainedSide): TotalsEach => {
  const { requestsPerSecond, outputTokensPerSecond: output, totalTokensPerSecond: all } = printed;
  if (requestsPerSecond === undefined || requestsPerSecond === 0 || output === undefined)
    return { input: undefined, output: undefined };
  return {
    input: all === undefined ? undefined : (all - output) / requestsPerSecond,
    output: output / requestsPerSecond,
  };
};

interface TotalsEach {
  readonly input: number | undefined;
  readonly output: number | undefined;
}

const partsOf = (sides: Sides, steps: DifferenceSteps<RateView>, on: Letter): RateParts | Unknown => {
  const { [on]: view } = steps.views;
  return view.window === 'own'
    ? { kind: 'unknown', reason: 'its file has no single requests' }
    : sides[on].again.rate(view, view.window);
};

const perSecond = ({ completed, windowNs }: RateParts): number => (completed * 1e9) / windowNs;

/** Little's law, exact for requests that begin and end within the window. */
const inFlight = ({ completed, windowNs, latencyNsMean }: RateParts): number =>
  (completed * latencyNsMean) / windowNs;

/** One more than of a figure: they are compared. */
const fourDigits = (value: number): string => String(Number(value.toPrecision(4)));
