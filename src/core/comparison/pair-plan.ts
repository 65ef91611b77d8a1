// How pairs of segments are planned: the order of the sides, when looks are taken, and the length of a
// segment.

import { lookAlpha } from '../statistics/look-levels.ts';
import type { ComparisonPlan, PlannedLook } from './comparison-document.ts';

export interface SegmentRules {
  readonly durationMs: number;
  readonly requests: number;
  /** Its length in medians of latency. */
  readonly latencies: number;
  /** In place of all of these: it plays so many sessions to their end. */
  readonly sessions?: number;
}

/**
 * With fewer requests a percentile is noisy; a segment shorter than its own latency consists only of ramp-up
 * and ramp-down.
 */
export const SEGMENT_RULES: SegmentRules = { durationMs: 60_000, requests: 200, latencies: 20 };
export const USUAL_LOOKS: readonly number[] = [6, 8, 12];

export const pairPlan = (looks: readonly number[], segment: SegmentRules): ComparisonPlan => {
  const alpha = lookAlpha(looks);
  return { looks: looks.map(pairs => ({ pairs, alpha })), order: pairOrder(looks.at(-1) ?? 0), segment };
};

/**
 * "ABBA BAAB …" without spaces: a drift, whether steady or faster at the start, affects both sides equally.
 */
const pairOrder = (pairs: number): string =>
  Array.from({ length: pairs }, (_, index) => (startsWithA(index) ? 'AB' : 'BA')).join('');

/** The parity of the binary digits of a pair's number, from 0: the order of Thue and Morse. */
const startsWithA = (index: number): boolean => {
  let isEven = true;
  for (let rest = index; rest > 0; rest = Math.floor(rest / 2)) if (rest % 2 === 1) isEven = !isEven;
  return isEven;
};

export const isLongEnough = (
  { elapsedMs, completed, medianLatencyNs }: SegmentSoFar,
  { durationMs, requests, latencies }: SegmentRules,
): boolean =>
  elapsedMs >= durationMs && completed >= requests && elapsedMs * 1e6 >= latencies * medianLatencyNs;

export interface SegmentSoFar {
  readonly elapsedMs: number;
  readonly completed: number;
  /** 0 until a request has completed. */
  readonly medianLatencyNs: number;
}

/** The last look for which this many pairs are enough. */
export const reachedLook = ({ looks }: ComparisonPlan, pairs: number): PlannedLook | undefined =>
  looks.findLast(look => look.pairs <= pairs);
