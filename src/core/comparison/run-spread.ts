// Statistics over several runs of one target: the run is the unit, because requests of one run share a queue,
// a server process and an hour of the day. Two sets are compared by Welch's t on logarithms (Biometrika 34,
// 1947).

import * as v from 'valibot';
import { figure, type Infer, openObject, reported, text } from '../schema.ts';
import { type LogEffect, upperStudent } from '../statistics/student-quantile.ts';
import { estimateSchema } from '../sweep/stage.ts';
import { isKnown, isUnknown, type Unknown, unknown } from '../unknown.ts';
import type { ComparedUnit } from './comparison-document.ts';
import { COMPARISON_METRICS, type RequestedMetric } from './comparison-metrics.ts';
import type { MetricEvidence } from './judge-metrics.ts';

export const spreadMetricSchema = openObject({
  name: text,
  label: text,
  unit: v.picklist(['ns', 'req/s', 'tok/s']),
  /** Geometric mean over runs with its 95 % interval. Unknown: a run lacks the figure, or there is one run. */
  mean: reported(estimateSchema),
  /** Standard deviation of logarithms between runs: 0.02 is 2 %. */
  spread: reported(figure),
  /** As a share: the smallest change that two sets of as many runs would detect in four of five attempts. */
  smallestDifference: reported(figure),
});

export type SpreadMetric = Infer<typeof spreadMetricSchema>;

export const runSpread = (units: readonly ComparedUnit[]): readonly SpreadMetric[] =>
  COMPARISON_METRICS.filter(
    ({ name, isDetail }) => !isDetail || units.some(({ figures }) => typeof figures[name] === 'number'),
  ).map(({ name, label, unit }) => {
    const logs = logsOf(name, units);
    const reported = { name, label, unit };
    if (isUnknown(logs)) return { ...reported, mean: logs, spread: logs, smallestDifference: logs };
    const { mean, spread, count } = logs;
    if (count < 2) return { ...reported, mean: ONE_RUN, spread: ONE_RUN, smallestDifference: ONE_RUN };
    const half = spread === 0 ? 0 : (upperStudent(DOUBT / 2, count - 1) * spread) / Math.sqrt(count);
    return {
      ...reported,
      mean: { value: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) },
      spread,
      smallestDifference: Math.expm1(smallestLogDifference(spread, count)),
    };
  });

/** 2.8 = 1.96 + 0.84: two-sided at 5 %, detected in four of five attempts. */
export const smallestLogDifference = (spread: number, runs: number): number =>
  2.8 * spread * Math.sqrt(2 / runs);

/** Evidence for one metric over two sets of at least two runs each. */
export const setEvidence = (
  metric: RequestedMetric,
  { a, b }: { readonly a: readonly ComparedUnit[]; readonly b: readonly ComparedUnit[] },
): MetricEvidence => {
  const logsA = logsOf(metric.name, a);
  const logsB = logsOf(metric.name, b);
  return {
    ...metric,
    a: isUnknown(logsA) ? logsA : Math.exp(logsA.mean),
    b: isUnknown(logsB) ? logsB : Math.exp(logsB.mean),
    effect: isUnknown(logsA) ? logsA : isUnknown(logsB) ? logsB : welchEffect(logsA, logsB),
    signFlipP: unknown('runs are not paired'),
  };
};

interface Logs {
  readonly mean: number;
  readonly spread: number;
  readonly count: number;
}

const logsOf = (name: string, units: readonly ComparedUnit[]): Logs | Unknown => {
  const values = units.map(({ figures }) => figures[name] ?? unknown('not measured'));
  const missing = values.findIndex(isUnknown);
  const why = values[missing];
  if (why !== undefined && isUnknown(why)) return unknown(`run ${units[missing]?.runId}: ${why.reason}`);
  const known = values.filter(isKnown);
  if (known.length === 0) return unknown('there is no run');
  if (known.some(value => value <= 0)) return unknown('a figure of 0 has no ratio');
  const logs = known.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return { mean, count: logs.length, spread: Math.sqrt(squares / Math.max(1, logs.length - 1)) };
};

/** Separate variances, and Satterthwaite's degrees of freedom. */
const welchEffect = (a: Logs, b: Logs): LogEffect | Unknown => {
  if (a.count < 2 || b.count < 2) return unknown('fewer than two runs on a side');
  const [ofA, ofB] = [a.spread ** 2 / a.count, b.spread ** 2 / b.count];
  const variance = ofA + ofB;
  const degrees = variance ** 2 / (ofA ** 2 / (a.count - 1) + ofB ** 2 / (b.count - 1));
  return {
    mean: b.mean - a.mean,
    standardError: Math.sqrt(variance),
    degreesOfFreedom: variance === 0 ? a.count + b.count - 2 : degrees,
    // For the difference of one run each: more runs on both sides narrow it as pairs would.
    spread: Math.sqrt(a.spread ** 2 + b.spread ** 2),
    count: Math.min(a.count, b.count),
  };
};

const ONE_RUN = unknown('one run does not show how runs vary');
const DOUBT = 0.05;
