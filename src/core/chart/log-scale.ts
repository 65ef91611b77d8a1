// A logarithmic axis of values with ends at 1, 2 or 5 times a power of ten, so that it stays while figures come in.

import { maximumOf, minimumOf } from '../extremes.ts';

interface LogScale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** From 0 at the low end to 1 at the high end; values beyond the ends stay at them. */
  share(value: number): number;
}

/** Around all values that are above 0; undefined without any. @param room between two ticks, as a share of the axis */
export const logScale = (values: readonly number[], room: number): LogScale | undefined => {
  const known = values.filter(value => value > 0 && Number.isFinite(value));
  if (known.length === 0) return undefined;
  const low = roundDown(minimumOf(known) * 0.85);
  const high = roundUp(maximumOf(known) * 1.1, low);
  const span = Math.log(high / low);
  const share = (value: number): number =>
    Math.min(1, Math.max(0, Math.log(Math.max(value, Number.MIN_VALUE) / low) / span));
  const ticks = STEP_SETS.map(steps => ticksBetween(low, high, steps)).find(some =>
    some.every((tick, index) => index === 0 || share(tick) - share(some[index - 1] ?? low) >= room),
  );
  return { low, high, share, ticks: ticks ?? [low, high] };
};

const ticksBetween = (low: number, high: number, steps: readonly number[]): readonly number[] => {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); 10 ** exponent <= high * SLACK; exponent += 1)
    for (const step of steps) {
      const value = step * 10 ** exponent;
      if (value >= low / SLACK && value <= high * SLACK) ticks.push(value);
    }
  return ticks;
};

const roundDown = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (STEPS.findLast(step => step * power <= value * SLACK) ?? 1);
};

/** At least one step above the low end. */
const roundUp = (value: number, low: number): number => {
  const wanted = Math.max(value, low * 2);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * (STEPS.find(step => step * power * SLACK >= wanted) ?? 10);
};

const STEPS = [1, 2, 5] as const;
const STEP_SETS = [[1, 2, 5], [1, 3], [1]] as const;
/** Powers of ten are not exact below 1. */
const SLACK = 1 + 1e-9;
