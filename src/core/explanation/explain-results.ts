// Why two results of one server differ: whether they can be compared, and each figure of them from A's to B's.

import { type ComparableFacts, refusalsBetween } from '../comparison/comparability.ts';
import type { RefusalCode } from '../comparison/comparison-document.ts';
import { loadLabel } from '../run/run-shape.ts';
import { isSameModel } from '../run/sample-remark.ts';
import { isKnown, isUnknown, type Unknown, unknown } from '../unknown.ts';
import { rateByOther, rateSteps } from './explain-rate.ts';
import { timeByOther, timeSteps } from './explain-time.ts';
import { EXPLAINED_FIGURES, type ExplainedFigure } from './explained-figures.ts';
import { type ExplainedResult, warmupCount } from './explained-result.ts';
import { type DifferenceSteps, LETTERS, type Letter, nameOf, type Sides } from './explained-side.ts';
import { CAUSES, type ExplainedFigureDocument, type ExplanationDocument } from './explanation-document.ts';
import { Recalculation } from './recalculation.ts';

export const explainResults = (a: ExplainedResult, b: ExplainedResult): ExplanationDocument => {
  const sides: Sides = { a: sideOf(a), b: sideOf(b) };
  const differences = differencesOf(a, b);
  const comparable = !differences.some(({ isFatal }) => isFatal);
  const load = differences.find(({ isLoad }) => isLoad);
  const loadText =
    load === undefined
      ? undefined
      : `A: ${load.a}. B: ${load.b}. What another load does to the queue of the server is not in these requests`;
  return {
    schema: 'plimsoll.why/1',
    a: sideDocument(sides, 'a'),
    b: sideDocument(sides, 'b'),
    comparable,
    differences: differences.map(({ isFatal, problem, a: inA, b: inB }) => ({
      isFatal,
      problem,
      a: inA,
      b: inB,
    })),
    order: ORDER,
    figures: EXPLAINED_FIGURES.flatMap(
      figure => figureDocument(figure, sides, { comparable, load: loadText }) ?? [],
    ),
  };
};

const sideOf = (result: ExplainedResult): Sides[Letter] => ({
  result,
  again: new Recalculation(result),
  warmup: warmupCount(result),
});

const sideDocument = (sides: Sides, on: Letter): ExplanationDocument['a'] => {
  const { result, again } = sides[on];
  const { facts, requests } = result;
  return {
    source: result.source,
    tool: result.label,
    model: facts.model,
    target: result.target,
    load: loadLabel(facts),
    requests: isUnknown(requests) ? requests : again.completed(again.view).length,
    inputTokens: facts.inputTokens,
    outputTokens: facts.outputTokens,
  };
};

interface Difference {
  readonly isFatal: boolean;
  readonly isLoad: boolean;
  readonly problem: string;
  readonly a: string;
  readonly b: string;
}

/** Another model or another server is another measurement; anything else is a cause. */
const differencesOf = (a: ExplainedResult, b: ExplainedResult): readonly Difference[] => {
  const isOneModel =
    isKnown(a.facts.model) && isKnown(b.facts.model) && isSameModel(a.facts.model, b.facts.model);
  const found = refusalsBetween([withoutWarmup(a.facts)], [withoutWarmup(b.facts)])
    .filter(({ code }) => SHOWN.has(code) && !(code === 'model' && isOneModel))
    .map(({ code, problem, a: inA, b: inB }) => ({
      isFatal: code === 'model',
      isLoad: LOAD.has(code),
      problem,
      a: inA,
      b: inB,
    }));
  const servers = LETTERS.map(on => (on === 'a' ? a : b).target);
  const [one, other] = servers.map(target => (isUnknown(target) ? undefined : serverOf(target)));
  if (one === undefined || other === undefined || one === other) return found;
  // Another port of one machine may be a proxy in front of the same server.
  const isOneMachine = hostOf(one) === hostOf(other);
  const problem = isOneMachine ? 'Different ports of one machine answered' : 'Different servers answered';
  return [{ isFatal: !isOneMachine, isLoad: false, problem, a: one, b: other }, ...found];
};

/** A warm-up is a cause of its own, and no other load. */
const withoutWarmup = (facts: ComparableFacts): ComparableFacts => ({
  ...facts,
  shape: isUnknown(facts.shape) ? facts.shape : { ...facts.shape, warmupMs: 0 },
});

/** Host and port. */
const serverOf = (target: string): string =>
  (/^(?:https?:\/\/)?([^/]+)/i.exec(target)?.[1] ?? target)
    .toLowerCase()
    .replace(/^(?:localhost|\[::1\])(?=:|$)/, '127.0.0.1');

const hostOf = (server: string): string => server.replace(/:\d+$/, '');

const figureDocument = (
  figure: ExplainedFigure,
  sides: Sides,
  { comparable, load }: { readonly comparable: boolean; readonly load: string | undefined },
): ExplainedFigureDocument | undefined => {
  const { key, label, unit } = figure;
  const steps = figure.kind === 'time' ? timeSteps(figure, sides, load) : rateSteps(figure, sides, load);
  const [a, b] = [sideFigure(figure, sides, 'a'), sideFigure(figure, sides, 'b')];
  if (isUnknown(a.figure) || isUnknown(b.figure)) return undefined;
  const reference = a.figure === 0 ? b.figure : a.figure;
  const shareOf = (effect: number): number => (effect === 0 ? 0 : effect / reference);
  const difference = b.figure - a.figure;
  const isSame = Math.abs(shareOf(difference)) < SAME_SHARE;
  const isExplained = comparable && !isSame;
  const causes = isExplained ? shownCauses(steps, shareOf) : [];
  const unexplained = difference - causes.reduce((sum, { effect }) => sum + effect, 0);
  return {
    key,
    label,
    unit,
    a,
    b,
    difference,
    differenceShare: shareOf(difference),
    isSame,
    causes,
    unexplained,
    unexplainedShare: shareOf(unexplained),
    clientBound: boundOf(figure, sides),
    uncomputed: isExplained ? steps.uncomputed : [],
  };
};

const sideFigure = (figure: ExplainedFigure, sides: Sides, on: Letter): ExplainedFigureDocument['a'] => {
  const { printed } = sides[on].result;
  const shown = printed[figure.key];
  const byOther = figure.kind === 'time' ? timeByOther(figure, sides, on) : rateByOther(figure, sides, on);
  return { figure: shown ?? ownFigure(figure, sides, on), isPrinted: shown !== undefined, byOther };
};

/** By the rules of its own tool. */
const ownFigure = (figure: ExplainedFigure, sides: Sides, on: Letter): number | Unknown => {
  const alone: Sides = { a: sides[on], b: sides[on] };
  return figure.kind === 'time' ? timeByOther(figure, alone, on) : rateByOther(figure, alone, on);
};

/** The greatest first; one that has no effect is none. */
const shownCauses = (
  { effects }: Pick<DifferenceSteps<unknown>, 'effects'>,
  shareOf: (effect: number) => number,
): ExplainedFigureDocument['causes'] =>
  effects
    .map(cause => ({ ...cause, effectShare: shareOf(cause.effect) }))
    .filter(({ effectShare }) => Math.abs(effectShare) > ROUNDING)
    .sort((one, other) => Math.abs(other.effect) - Math.abs(one.effect));

/** Of the clients that state one. */
const boundOf = ({ key }: ExplainedFigure, sides: Sides): number | Unknown => {
  const stated = LETTERS.flatMap(on => sides[on].result.bounds[key] ?? []);
  return stated.length === 0
    ? unknown('neither client states a bound')
    : stated.reduce((sum, bound) => sum + bound, 0);
};

const ORDER = `Effects are calculated in this order, each after those before it: ${Object.values(CAUSES).join(', ')}. What differs is taken out of ${nameOf('a')}'s requests if they are stored and have what it needs, else out of ${nameOf('b')}'s; the effects and the rest add up to the difference.`;

/** What a reader must know; the other rules of a comparison are about our own client. */
const SHOWN: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'model',
  'dataset',
  'arrival',
  'concurrency',
  'lengths',
  'sampling',
  'contamination',
]);
const LOAD: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['arrival', 'concurrency']);
/** Of the figure: what arithmetic in doubles leaves of no effect. */
const ROUNDING = 1e-9;
/** Of the figure: what is shown as 0.0 %. */
const SAME_SHARE = 0.0005;
