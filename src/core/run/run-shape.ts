// How the load of a run moves over time, beside its pattern, and how that is written. The pattern says the highest level that
// the load reaches; a version that knows no shapes sees that one alone.

import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { figureText, formatCount, formatThreeDigits } from '../figure/figure.ts';
import type { Reported } from '../unknown.ts';
import { isUnknown, unknown } from '../unknown.ts';
import type { RunPattern } from './run-pattern.ts';
import { patternLabel } from './run-pattern.ts';

export type RunShape = {
  /** In which the load grows evenly to its first level; not measured. 0: at once. */
  readonly rampMs: number;
  /** At the first level, behind the ramp; not measured. */
  readonly warmupMs: number;
  /** Of a schedule: an arrival beyond it waits for a place. */
  readonly inFlightCap: Reported<number>;
  /** One after the other, all measured; none: the level of the pattern as long as the run goes on. */
  readonly steps: readonly LoadStep[];
};

/** `--stages` calls it a stage; the stages of a sweep are runs of their own. */
export type LoadStep = {
  /** Requests a second or in flight, as the pattern says; it moves evenly from one to the other. */
  readonly from: number;
  readonly to: number;
  readonly durationMs: number;
};

export const LOAD_STEPS_MAX = 64;

export const PLAIN_SHAPE: RunShape = {
  rampMs: 0,
  warmupMs: 0,
  inFlightCap: unknown('not limited'),
  steps: [],
};

/** Versions before shapes had plain runs only. */
export const shapeOf = ({ shape }: { readonly shape: Reported<RunShape> }): RunShape =>
  isUnknown(shape) ? PLAIN_SHAPE : shape;

/** Whether its schedule has arrivals that wait for a place. */
export const isCapped = (shape: Reported<RunShape>): boolean =>
  !isUnknown(shape) && !isUnknown(shape.inFlightCap);

export const hasSteps = (shape: Reported<RunShape> | undefined): boolean =>
  shape !== undefined && !isUnknown(shape) && shape.steps.length > 0;

/** "Poisson 20.0 req/s, at most 64 in flight, ramp 30 s", "constant, 5.00 to 20.0 req/s in 3 stages". */
export const loadLabel = (run: {
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
}): string => {
  const { rampMs, warmupMs, inFlightCap, steps } = shapeOf(run);
  return [
    steps.length === 0 ? patternLabel(run.pattern) : stepsLabel(run.pattern, steps),
    ...(isUnknown(inFlightCap) ? [] : [`at most ${formatCount(inFlightCap)} in flight`]),
    ...(rampMs > 0 ? [`ramp ${timeText(rampMs)}`] : []),
    ...(warmupMs > 0 ? [`warm-up ${timeText(warmupMs)}`] : []),
  ].join(', ');
};

const stepsLabel = (pattern: RunPattern, steps: readonly LoadStep[]): string => {
  const levels = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  const count = `in ${steps.length} ${steps.length === 1 ? 'stage' : 'stages'}`;
  switch (pattern.kind) {
    case 'poisson':
    case 'constant': {
      const kind = pattern.kind === 'poisson' ? 'Poisson' : 'constant';
      return `${kind}, ${formatThreeDigits(low)} to ${formatThreeDigits(high)} req/s ${count}`;
    }
    case 'concurrency':
    case 'max-throughput':
      return `${formatCount(low)} to ${formatCount(high)} at a time ${count}`;
    default:
      return pattern satisfies never;
  }
};

const timeText = (ms: number): string => figureText(formatMeasuredNanoseconds(ms * 1e6));
