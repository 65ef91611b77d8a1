// A linear scale with round ticks, for changes in per cent and for the figures of segments.

interface LinearScale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Values beyond the ends are clamped to the ends. */
export const linearScale = (
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
  ticksMax: number,
): LinearScale => {
  const span = high - low || 1;
  const step = roundStep(span / Math.max(1, ticksMax));
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return {
    at: value => from + ((Math.max(low, Math.min(high, value)) - low) / span) * (to - from),
    ticks: Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
      Number(((first + index) * step).toPrecision(12)),
    ),
  };
};

/** The smallest of 1, 2 or 5 times a power of ten that is at least `least`. */
const roundStep = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find(each => each * power >= least) ?? 10;
  return factor * power;
};
