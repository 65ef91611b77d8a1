// Axes of charts with round numbers: values from 0 on, and the time since a run started.

export interface ValueAxis {
  readonly ticks: readonly number[];
  /** The value at the upper end. */
  readonly max: number;
  /** From the value to a share of the axis, 0 at its foot. */
  share(value: number): number;
}

/** From 0 to a little more than the greatest value, with about so many steps of 1, 2 or 5 times a power of ten. */
export const valueAxis = (greatest: number, steps: number): ValueAxis => {
  if (!(greatest > LEAST)) return { ticks: [0], max: 1, share: value => value };
  const wanted = greatest / steps;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = (STEPS.find(each => each * power >= wanted) ?? 10) * power;
  const count = Math.max(1, Math.ceil(greatest / step - 1e-9));
  // The room above the greatest value is as small as possible: half a step of empty space is useless.
  const max = Math.min(count * step, greatest * 1.06);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { ticks: ticks.filter(tick => tick <= max * (1 + 1e-9)), max, share: value => value / max };
};

/** Milliseconds from `fromMs` on at which a time axis has a tick: whole steps, at most this many. */
export const timeTicks = (untilMs: number, ticksMax: number, fromMs = 0): readonly number[] => {
  const lengthMs = untilMs - fromMs;
  const step = TIME_STEPS_MS.find(each => lengthMs / each < ticksMax) ?? lengthMs / (ticksMax - 1);
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor(untilMs / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
};

/** Smaller values are not visible. */
const LEAST = 1e-9;
const STEPS: readonly number[] = [1, 2, 5, 10];
const TIME_STEPS_MS: readonly number[] = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
].map(seconds => seconds * 1_000);
