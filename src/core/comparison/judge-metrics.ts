// All metrics of a comparison at one look: the primary by its own chance, the others after Holm's correction, each with an interval
// at the level of the look.

import { holmAdjusted } from '../statistics/holm.ts';
import { FLIPPED_PAIRS_MAX, signFlipChance } from '../statistics/sign-flip.ts';
import { effectChance, type LogEffect, pairedEffect, ratioInterval } from '../statistics/student-quantile.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { ComparedMetric, ComparedUnit } from './comparison-document.ts';
import type { RequestedMetric } from './comparison-metrics.ts';
import { judgeEffect } from './judge-effect.ts';

/** The evidence for one metric, for any kind of unit. */
export interface MetricEvidence extends RequestedMetric {
  readonly a: Reported<number>;
  readonly b: Reported<number>;
  /** Unknown: what cannot be compared, with the reason. */
  readonly effect: LogEffect | Unknown;
  readonly signFlipP: Reported<number>;
}

export const judgeMetrics = (
  evidence: readonly MetricEvidence[],
  { alpha, primary }: { readonly alpha: number; readonly primary: string },
): readonly ComparedMetric[] => {
  const chances = evidence.map(({ effect }) => (isUnknown(effect) ? undefined : effectChance(effect)));
  const corrected = evidence.flatMap(({ name }, index) => {
    const chance = chances[index];
    return name === primary || chance === undefined ? [] : [{ name, chance }];
  });
  const adjusted = new Map(
    holmAdjusted(corrected.map(({ chance }) => chance)).map((chance, index) => [
      corrected[index]?.name ?? '',
      chance,
    ]),
  );
  return evidence.map(({ effect, ...metric }, index) => {
    const isPrimary = metric.name === primary;
    const reported = { ...metric, isPrimary, level: 1 - alpha };
    const p = chances[index];
    if (isUnknown(effect) || p === undefined) {
      const why = isUnknown(effect) ? effect : unknown('there is no effect');
      return {
        ...reported,
        ratio: why,
        sameInterval: why,
        spread: why,
        count: 0,
        p: why,
        adjustedP: why,
        verdict: { kind: 'not-comparable', reason: why.reason },
      };
    }
    const adjustedP = isPrimary ? p : (adjusted.get(metric.name) ?? p);
    return {
      ...reported,
      ratio: ratioInterval(effect, alpha),
      sameInterval: ratioInterval(effect, 2 * alpha),
      spread: effect.spread,
      count: effect.count,
      p,
      adjustedP,
      verdict: judgeEffect(effect, { ...metric, alpha, chance: adjustedP }),
    };
  });
};

/** The evidence for a metric over pairs: units of one index form a pair. */
export const pairedEvidence = (
  metric: RequestedMetric,
  a: readonly ComparedUnit[],
  b: readonly ComparedUnit[],
): MetricEvidence => {
  const figures = (units: readonly ComparedUnit[]): readonly Reported<number>[] =>
    units.map(({ figures: reported }) => reported[metric.name] ?? unknown('not measured'));
  const ofA = figures(a);
  const ofB = figures(b);
  const logRatios: number[] = [];
  let missing: Unknown | undefined;
  for (const [index, figureA] of ofA.entries()) {
    const ratio = logRatio(figureA, ofB[index] ?? unknown('the pair has no second segment'), index + 1);
    if (isUnknown(ratio)) missing ??= ratio;
    else logRatios.push(ratio);
  }
  const effect =
    missing ??
    (logRatios.length < SHOWN_PAIRS_LEAST ? undefined : pairedEffect(logRatios)) ??
    unknown('fewer than three pairs');
  return {
    ...metric,
    a: medianOf(ofA),
    b: medianOf(ofB),
    effect,
    signFlipP: isUnknown(effect)
      ? effect
      : (signFlipChance(logRatios) ?? unknown(`not tested: more than ${FLIPPED_PAIRS_MAX} pairs`)),
  };
};

const logRatio = (a: Reported<number>, b: Reported<number>, pair: number): number | Unknown => {
  if (isUnknown(a)) return unknown(`A of pair ${pair}: ${a.reason}`);
  if (isUnknown(b)) return unknown(`B of pair ${pair}: ${b.reason}`);
  return a > 0 && b > 0 ? Math.log(b / a) : unknown(`pair ${pair} has a figure of 0, which has no ratio`);
};

const medianOf = (figures: readonly Reported<number>[]): Reported<number> => {
  const known = figures.filter(isKnown).sort((x, y) => x - y);
  const middle = (known.length - 1) / 2;
  const low = known[Math.floor(middle)];
  const high = known[Math.ceil(middle)];
  return low === undefined || high === undefined
    ? (figures.find(isUnknown) ?? unknown('nothing was measured'))
    : (low + high) / 2;
};

/** The interval of two pairs is too wide to be useful. */
const SHOWN_PAIRS_LEAST = 3;
