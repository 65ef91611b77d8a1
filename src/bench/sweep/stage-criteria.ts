// Objectives in the form of a stage's decider: for each one a number per request, and a limit for its mean. What a
// person reads about them is judged from the same requests as in any run (core/run/judge-objective.ts).

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import {
  fromTurnOf,
  type JudgedObjective,
  type ObjectiveFigures,
  objectiveSeries,
  type RequestLimit,
} from '../../core/run/objective.ts';
import type { Outcome } from '../../core/run/outcome.ts';
import type { Criterion } from '../line/stage-ledger.ts';

export interface StageCriterion extends Criterion {
  readonly objective: JudgedObjective;
  /** NaN if the request or session has no such figure. @param figures undefined for one that did not complete */
  valueOf(outcome: Outcome, figures: ObjectiveFigures | undefined): number;
  /** For a request whose first content has arrived: NaN if its end has to decide. */
  valueAtFirst(ttftNs: number): number;
}

export const stageCriterion = (objective: JudgedObjective): StageCriterion => {
  switch (objective.kind) {
    case 'attainment':
      return shareCriterion(objective, 1 - objective.share, objective.limits);
    case 'percentile':
      return shareCriterion(objective, 1 - objective.percentile / 100, [objective]);
    case 'error-rate':
      return shareCriterion(objective, objective.limitShare, []);
    case 'mean':
      return {
        objective,
        kind: 'mean',
        limit: objective.limitNs,
        isOfTimes: true,
        overdueNs: Number.POSITIVE_INFINITY,
        firstOverdueNs: Number.POSITIVE_INFINITY,
        fromTurn: objective.fromTurn,
        valueOf: (_, figures) => {
          const figure = figures?.[objectiveSeries(objective.name)] ?? NO_FIGURE;
          return figure === NO_FIGURE ? Number.NaN : figure;
        },
        valueAtFirst: () => Number.NaN,
      };
    default:
      return objective satisfies never;
  }
};

/** Share of requests that miss one of the limits; failed ones miss. */
const shareCriterion = (
  objective: JudgedObjective,
  limit: number,
  limits: readonly RequestLimit[],
): StageCriterion => ({
  objective,
  kind: 'share',
  limit,
  isOfTimes: limits.length > 0,
  fromTurn: fromTurnOf(objective),
  overdueNs: Math.min(leastOf(limits, 'latency'), leastOf(limits, 'session')),
  firstOverdueNs: leastOf(limits, 'ttft'),
  valueOf: (outcome, figures) => {
    if (outcome === 'cancelled') return Number.NaN;
    if (outcome === 'failed') return Number.POSITIVE_INFINITY;
    if (limits.length === 0) return 0;
    if (figures === undefined) return Number.POSITIVE_INFINITY;
    // An answer of one token has no time per further token. Together with other limits it meets that one.
    const requested = limits.filter(({ name }) => !hasNone(name, figures));
    if (requested.length === 0) return Number.NaN;
    return maximumOf(
      requested.map(({ name, limitNs }) => reachOf(figures[objectiveSeries(name)] ?? NO_FIGURE, limitNs)),
    );
  },
  valueAtFirst: ttftNs => {
    const reach = ttftNs / leastOf(limits, 'ttft');
    return reach > 1 || (limits.length > 0 && limits.every(({ name }) => name === 'ttft'))
      ? reach
      : Number.NaN;
  },
});

const leastOf = (limits: readonly RequestLimit[], name: RequestLimit['name']): number =>
  minimumOf(limits.filter(limit => limit.name === name).map(({ limitNs }) => limitNs));

const hasNone = (
  name: RequestLimit['name'],
  { tpotNs = NO_FIGURE, outputTokens }: ObjectiveFigures,
): boolean => name === 'tpot' && tpotNs === NO_FIGURE && (outputTokens === 0 || outputTokens === 1);

/** A figure that the server did not report meets no objective. */
const reachOf = (figure: number, limitNs: number): number =>
  figure === NO_FIGURE ? Number.POSITIVE_INFINITY : figure / limitNs;
