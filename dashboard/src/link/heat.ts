// The steps of the heat map: seven. A share of what a link should carry goes from none to all, so that a colour means the
// same on every cluster; rates and delays go by the logarithm over the present values, or all fast links would look the same.

import { maximumOf, minimumOf } from '../../../src/core/extremes.ts';

export type HeatMeasure = 'share' | 'bandwidth' | 'delay';

const HEAT_STEPS = 7;

/** The ends of a scale: the lowest step begins at `low`. Bits per second, nanoseconds, or a share. */
export interface HeatScale {
  readonly low: number;
  readonly high: number;
}

/** Round ends around the values, so that a trembling figure moves no colour. */
export const heatScale = (measure: HeatMeasure, values: readonly number[]): HeatScale => {
  if (measure === 'share') return { low: 0, high: 1 };
  const known = values.filter(value => value > 0);
  if (known.length === 0) return FIRST_SCALES[measure];
  const low = roundDown(minimumOf(known));
  const high = roundUp(maximumOf(known));
  return high > low ? { low, high } : { low, high: low * 2 };
};

/** 0..6, the better the darker. */
export const heatStep = (measure: HeatMeasure, value: number, { low, high }: HeatScale): number => {
  if (measure === 'share') return stepOf((value - low) / (high - low));
  const at = Math.log(value / low) / Math.log(high / low);
  return stepOf(measure === 'delay' ? 1 - at : at);
};

const stepOf = (at: number): number =>
  Number.isNaN(at) ? 0 : Math.min(HEAT_STEPS - 1, Math.max(0, Math.round(at * (HEAT_STEPS - 1))));

/** The next of 1, 2, 5, 10, … */
const roundDown = (value: number): number => {
  const decade = 10 ** Math.floor(Math.log10(value));
  const first = value / decade;
  return decade * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
};

const roundUp = (value: number): number => {
  const down = roundDown(value);
  if (down === value) return value;
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * (down / decade === 5 ? 10 : down / decade === 2 ? 5 : 2);
};

const FIRST_SCALES = {
  bandwidth: { low: 1e9, high: 100e9 },
  delay: { low: 2e3, high: 5e6 },
} as const;
