// How pairs of segments are planned: in which order the sides run, when looks are taken, how long a segment must be.

import { lookAlpha } from '../statistics/look-levels.ts';
import type { ComparisonPlan, PlannedLook } from './comparison-document.ts';

export interface SegmentRules {
  readonly durationMs: number;
  readonly requests: number;
  /** Its length in medians of latency. */
  readonly latencies: number;
}

/** With fewer requests a percentile wanders; shorter than its own latency a segment is all beginning and end. */
export const SEGMENT_RULES: SegmentRules = { durationMs: 60_000, requests: 200, latencies: 20 };
export const USUAL_LOOKS: readonly number[] = [6, 8, 12];

export const pairPlan = (looks: readonly number[], segment: SegmentRules): ComparisonPlan => {
  const alpha = lookAlpha(looks);
  return { looks: looks.map(pairs => ({ pairs, alpha })), order: pairOrder(looks.at(-1) ?? 0), segment };
};

/** "ABBA BAAB …" without blanks: whatever drifts evenly, and whatever drifts faster at the beginning, hits both sides alike. */
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
  /** 0 while nothing has completed. */
  readonly medianLatencyNs: number;
}

/** The last one that so many pairs are enough for. */
export const reachedLook = ({ looks }: ComparisonPlan, pairs: number): PlannedLook | undefined =>
  looks.findLast(look => look.pairs <= pairs);
