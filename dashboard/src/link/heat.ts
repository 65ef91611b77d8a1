// The steps of the heat map: seven, by the logarithm, fixed rather than stretched over what is there, so that a colour
// means the same tomorrow.

export type HeatMeasure = 'bandwidth' | 'delay' | 'share';

export const HEAT_STEPS = 7;

/** 0..6, the better the darker. */
export const heatStep = (measure: HeatMeasure, value: number): number => {
  switch (measure) {
    case 'bandwidth':
      return stepOf(Math.log10(value), Math.log10(SLOWEST_BITS), Math.log10(FASTEST_BITS));
    case 'delay':
      return stepOf(-Math.log10(value), -Math.log10(LONGEST_NS), -Math.log10(SHORTEST_NS));
    case 'share':
      return stepOf(value, 0, 1);
    default:
      return measure satisfies never;
  }
};

const stepOf = (at: number, low: number, high: number): number =>
  Number.isNaN(at)
    ? 0
    : Math.min(HEAT_STEPS - 1, Math.max(0, Math.round(((at - low) / (high - low)) * (HEAT_STEPS - 1))));

export const SLOWEST_BITS = 0.5e9;
export const FASTEST_BITS = 100e9;
export const SHORTEST_NS = 2e3;
export const LONGEST_NS = 5e6;
