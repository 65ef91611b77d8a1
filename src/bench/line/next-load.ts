// Which load inside a bracket is worth its time: the one closest to the probable line, below or above, that can still
// be decided, with both ends measured twice, in the remaining time. A load closer to the line would end undecided and
// leave the bracket as wide as it was; one farther off would be decided early and leave it wider than necessary.

import type { LineEstimate, Side } from './line-estimate.ts';

interface Gap {
  readonly low: number;
  readonly high: number;
}

interface PlacedLoad {
  readonly load: number;
  /** Number of requests that probably decide it. */
  readonly requests: number;
}

interface PlacementOptions {
  readonly by: 'rate' | 'concurrency';
  /** 0.05: the ends of the bracket should be 5 % apart. */
  readonly resolution: number;
  /** undefined: only the bracket is known. */
  readonly estimate: LineEstimate | undefined;
  /** Number of requests that can be sent in the remaining time, at loads like these. */
  readonly requestsLeft: number;
  /** Loads inside that decided nothing, ascending. */
  readonly tried: readonly number[];
  /** Both ends were measured twice, so that the time is free for one side alone. */
  readonly areEndsSure: boolean;
}

/** undefined: no load inside makes the bracket narrower by what its time is worth. */
export const loadInside = (gap: Gap, options: PlacementOptions): PlacedLoad | undefined => {
  const { by, resolution, estimate, requestsLeft, tried, areEndsSure } = options;
  const width = Math.log(gap.high / gap.low);
  if (width <= Math.log1p(resolution) || (by === 'concurrency' && gap.high - gap.low <= 1)) return undefined;
  // The remaining requests decide nothing anywhere.
  if (requestsLeft < REQUESTS_MIN) return undefined;
  const leastGain = resolution * (areEndsSure ? GAIN_LAST : 1);
  if (estimate === undefined || estimate.standardError > width * VAGUE)
    return nextToUndecided(gap, tried, leastGain, options);
  // First with the estimate's error as a margin; if that gains nothing, without it, because the result improves the
  // estimate.
  for (const stages of areEndsSure ? [TWO_ENDS, ONE_END] : [TWO_ENDS])
    for (const error of [estimate.standardError, 0]) {
      const found = sidesOf(gap, estimate, {
        error,
        each: (requestsLeft * PLANNED) / stages,
        gain: areEndsSure ? GAIN_AGAIN : GAIN_MIN,
        resolution,
      })
        .flatMap(({ load, requests }) => {
          const used = usable(load, gap, options);
          return used === undefined ? [] : [{ load: used, requests }];
        })
        .at(0);
      if (found !== undefined) return found;
    }
  // The rest of the budget is there to be used: at the probable line nothing decides, and nearer to an end something may.
  return areEndsSure
    ? nextToUndecided(
        gap,
        [...tried, estimate.load].toSorted((a, b) => a - b),
        leastGain,
        options,
      )
    : undefined;
};

/** The middle of the widest gap between an end and the loads that decide nothing. */
const nextToUndecided = (
  gap: Gap,
  undecided: readonly number[],
  leastGain: number,
  options: PlacementOptions,
): PlacedLoad | undefined => {
  const { low, high } = widestGap(gap, undecided);
  if (high / low <= 1 + leastGain) return undefined;
  const load = usable(Math.sqrt(low * high), gap, options);
  return load === undefined ? undefined : { load, requests: options.requestsLeft };
};

/** The widest gap next to undecided loads: loads between them would be as hard to decide. */
const widestGap = ({ low, high }: Gap, tried: readonly number[]): Gap => {
  const below = { low, high: tried[0] ?? high };
  const above = { low: tried.at(-1) ?? low, high };
  return below.high / below.low >= above.high / above.low ? below : above;
};

/**
 * How near to the line, in logarithms, a load can be for that many requests to decide it; undefined: none is decided.
 */
export const affordableDistance = (
  estimate: LineEstimate,
  { side, each, resolution }: { readonly side: Side; readonly each: number; readonly resolution: number },
): number | undefined => {
  for (let distance = Math.log1p(resolution) / 2; distance < DISTANCE_MAX; distance *= DISTANCE_STEP)
    if (estimate.requestsAt(distance, side) <= each) return distance;
  return undefined;
};

/** Both sides that clearly gain, the wider one first. */
const sidesOf = (
  { low, high }: Gap,
  estimate: LineEstimate,
  {
    error,
    each,
    gain,
    resolution,
  }: { readonly error: number; readonly each: number; readonly gain: number; readonly resolution: number },
): readonly PlacedLoad[] =>
  SIDES.flatMap(side => {
    const room = side === 'above' ? Math.log(high / estimate.load) : Math.log(estimate.load / low);
    const distance = affordableDistance(estimate, { side, each, resolution });
    if (distance === undefined) return [];
    const offset = Math.hypot(distance, error);
    const load = estimate.load * Math.exp(side === 'above' ? offset : -offset);
    const requests = estimate.requestsAt(distance, side);
    return offset < room * (1 - gain) ? [{ room, load, requests }] : [];
  }).toSorted((a, b) => b.room - a.room);

/** Strictly inside; for whole numbers, none that was tried. */
const usable = (load: number, gap: Gap, { by, tried }: PlacementOptions): number | undefined => {
  if (by === 'rate') return load > gap.low && load < gap.high ? load : undefined;
  const whole = Math.min(Math.ceil(gap.high) - 1, Math.max(Math.floor(gap.low) + 1, Math.round(load)));
  return tried.includes(whole) ? undefined : whole;
};

const SIDES: readonly Side[] = ['above', 'below'];
/** An estimate that is less certain, as a part of the bracket, is no better than its middle. */
const VAGUE = 1 / 5;
/** Part of the side of the bracket; less is not worth two stages. */
const GAIN_MIN = 0.25;
/** The same, once there is an answer. */
const GAIN_AGAIN = 0.35;
/** Part of the resolution: a narrower gap between an end and what decides nothing is not worth a stage. */
const GAIN_LAST = 0.05;
/** Stages for two new ends, each measured twice. */
export const TWO_ENDS = 4;
const ONE_END = 2;
/** The expected number is a mean; half of the stages need more. */
export const PLANNED = 0.7;
const REQUESTS_MIN = 300;
const DISTANCE_MAX = Math.log(4);
const DISTANCE_STEP = 1.05;
