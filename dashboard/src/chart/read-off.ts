// Which value of a chart a pointer over it or a key selects.

/** The nearest one to a share of the width. @param x position of each value; they increase */
export const nearestIndex = (share: number, count: number, x: (index: number) => number): number => {
  let [low, high] = [0, Math.max(0, count - 1)];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x(middle) <= share) low = middle;
    else high = middle;
  }
  return count > 0 && share - x(low) <= x(high) - share ? low : high;
};

/** As a slider moves (WAI-ARIA, slider pattern); undefined where the key is not for it. */
export const turnedIndex = (key: string, index: number, count: number): number | undefined => {
  const step = STEPS.get(key);
  if (step === undefined || count === 0) return undefined;
  return Math.min(count - 1, Math.max(0, index + step));
};

const PAGE = 10;
const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowRight', 1],
  ['ArrowUp', 1],
  ['ArrowLeft', -1],
  ['ArrowDown', -1],
  ['PageUp', PAGE],
  ['PageDown', -PAGE],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);
