// Which load inside a bracket is worth its time: the one just as far below or above the probable line as can still be decided,
// with both ends measured twice, in the time that is left. A load closer to the line would end undecided and leave the bracket
// as wide as it was; one farther off would be decided with time to spare and leave it wider than it could be.

import type { LineEstimate, Side } from './line-estimate.ts';

interface Gap {
  readonly low: number;
  readonly high: number;
}

interface PlacedLoad {
  readonly load: number;
  /** Requests that probably decide it. */
  readonly requests: number;
}

interface PlacementOptions {
  readonly by: 'rate' | 'concurrency';
  /** 0.05: the ends of the bracket are asked to be 5 % apart. */
  readonly resolution: number;
  /** undefined: nothing is known but the bracket. */
  readonly estimate: LineEstimate | undefined;
  /** That can be sent in the time left, at loads like these. */
  readonly requestsLeft: number;
  /** Loads inside that decided nothing, ascending. */
  readonly tried: readonly number[];
  /** Both ends were measured twice, so that the time is free for one side alone. */
  readonly areEndsSure: boolean;
}

/** undefined: none inside makes the bracket clearly narrower. */
export const loadInside = (gap: Gap, options: PlacementOptions): PlacedLoad | undefined => {
  const { by, resolution, estimate, requestsLeft, areEndsSure } = options;
  const width = Math.log(gap.high / gap.low);
  if (width <= Math.log1p(resolution) || (by === 'concurrency' && gap.high - gap.low <= 1)) return undefined;
  // What is left decides nothing anywhere.
  if (requestsLeft < REQUESTS_MIN) return undefined;
  if (estimate === undefined || estimate.standardError > width * VAGUE) {
    const { low, high } = widestGap(gap, options.tried);
    if (high / low <= 1 + resolution) return undefined;
    const load = usable(Math.sqrt(low * high), gap, options);
    return load === undefined ? undefined : { load, requests: requestsLeft };
  }
  // As far off as the estimate may be wrong besides; where that gains nothing, as if it were right, for what it then teaches.
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
  return undefined;
};

/** Beside what decided nothing: what lies between such loads decides as little. */
const widestGap = ({ low, high }: Gap, tried: readonly number[]): Gap => {
  const below = { low, high: tried[0] ?? high };
  const above = { low: tried.at(-1) ?? low, high };
  return below.high / below.low >= above.high / above.low ? below : above;
};

/** How near to the line a load may be, in logarithms, that so many requests decide; undefined: none is decided. */
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

/** Strictly inside, and of whole numbers none that was tried. */
const usable = (load: number, gap: Gap, { by, tried }: PlacementOptions): number | undefined => {
  if (by === 'rate') return load > gap.low && load < gap.high ? load : undefined;
  const whole = Math.min(Math.ceil(gap.high) - 1, Math.max(Math.floor(gap.low) + 1, Math.round(load)));
  return tried.includes(whole) ? undefined : whole;
};

const SIDES: readonly Side[] = ['above', 'below'];
/** An estimate that is less sure, as a part of the bracket, is no better than its middle. */
const VAGUE = 1 / 5;
/** Of the side of the bracket; less is not worth two stages. */
const GAIN_MIN = 0.25;
/** Once there is an answer. */
const GAIN_AGAIN = 0.35;
/** Stages: each new end is measured twice. */
export const TWO_ENDS = 4;
const ONE_END = 2;
/** What is expected to decide is a mean; half of the stages need more. */
export const PLANNED = 0.7;
const REQUESTS_MIN = 300;
const DISTANCE_MAX = Math.log(4);
const DISTANCE_STEP = 1.05;
