// The verdict of this many pairs. Only a planned look decides: between looks figures and intervals are shown
// without a claim.

import type { RunPattern } from '../run/run-pattern.ts';
import { unknown } from '../unknown.ts';
import type {
  ComparedMetric,
  ComparedUnit,
  ComparisonDocument,
  ComparisonPlan,
  ComparisonRefusal,
} from './comparison-document.ts';
import { COMPARISON_METRICS, requestedMetric } from './comparison-metrics.ts';
import type { ComparisonVerdict } from './judge-effect.ts';
import { judgeMetrics, pairedEvidence } from './judge-metrics.ts';
import { reachedLook } from './pair-plan.ts';

export interface PairQuestion {
  readonly plan: ComparisonPlan;
  readonly pattern: RunPattern;
  readonly primary: string;
  /** By the name of a metric. */
  readonly margins: Readonly<Record<string, number>>;
}

export interface PairFindings {
  readonly metrics: readonly ComparedMetric[];
  readonly verdict: ComparisonVerdict;
  /** The look that they belong to; undefined before the first. */
  readonly look: ComparisonDocument['looks'][number] | undefined;
  /** No more pairs are needed: it is decided, or the last look was taken. */
  readonly isOver: boolean;
}

/**
 * @param a and b with the same number of units each; units after the last look that was reached do not count.
 */
export const judgePairs = (
  a: readonly ComparedUnit[],
  b: readonly ComparedUnit[],
  { plan, pattern, primary, margins }: PairQuestion,
): PairFindings => {
  const done = Math.min(a.length, b.length);
  const look = reachedLook(plan, done);
  const counted = look?.pairs ?? done;
  const alpha = look?.alpha ?? plan.looks[0]?.alpha ?? USUAL_ALPHA;
  const units = [...a, ...b];
  const rows = COMPARISON_METRICS.filter(({ name }) => name === primary || isMeasured(name, units));
  const judged = judgeMetrics(
    rows.map(row =>
      pairedEvidence(requestedMetric(row, pattern, margins), a.slice(0, counted), b.slice(0, counted)),
    ),
    { alpha, primary },
  );
  const metrics = look === undefined ? judged.map(withoutClaim) : judged;
  const verdict = metrics.find(({ isPrimary }) => isPrimary)?.verdict ?? {
    kind: 'not-comparable',
    reason: `there is no metric ${primary}`,
  };
  const isLast = look?.pairs === plan.looks.at(-1)?.pairs;
  return {
    metrics,
    verdict,
    look: look === undefined ? undefined : { ...look, verdict },
    isOver: look !== undefined && (isLast || verdict.kind !== 'undecided'),
  };
};

/** A refusal takes precedence over every verdict, unless a person has read and overruled it. */
export const refusedOr = (
  verdict: ComparisonVerdict,
  refusals: readonly ComparisonRefusal[],
  isAnyway: boolean,
): ComparisonVerdict => {
  const [first] = refusals;
  return first === undefined || isAnyway ? verdict : { kind: 'not-comparable', reason: first.problem };
};

/** A metric that no run of this kind has, such as goodput without objectives, is left out. */
const isMeasured = (name: string, units: readonly ComparedUnit[]): boolean =>
  units.some(({ figures }) => typeof figures[name] === 'number');

/** The number of pairs that would decide is left out too: for a few pairs it is arbitrary. */
const withoutClaim = (metric: ComparedMetric): ComparedMetric => ({
  ...metric,
  verdict: NO_LOOK_YET,
});

const NO_LOOK_YET: ComparisonVerdict = {
  kind: 'undecided',
  pairsToDecide: unknown('no look was taken yet'),
};
const USUAL_ALPHA = 0.05;
