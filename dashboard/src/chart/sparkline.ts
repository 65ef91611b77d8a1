// A quarter of an hour of one figure in a line. Seconds are gathered into slots that are fixed on the clock, so that the
// line moves on by whole slots and does not tremble; a slot without a report is a gap, not a straight line.

interface SparklineSize {
  readonly width: number;
  readonly height: number;
}

interface SparklineRange {
  readonly low: number;
  readonly high: number;
}

interface SparklinePath {
  readonly d: string;
  /** Position of the newest value; undefined when the newest slot holds nothing. */
  readonly end: { readonly x: number; readonly y: number } | undefined;
}

/** Seconds in a slot, and slots in the line: 180 × 5 s is the 15 minutes that are kept. */
export const SLOT_SECONDS = 5;
export const SLOTS = 180;

/** Means of whole slots, oldest first, the last one holding `lastSecond`; always SLOTS long. */
export const slotsOf = (
  values: readonly (number | null)[],
  lastSecond: number,
): readonly (number | null)[] => {
  const lastSlot = Math.floor(lastSecond / SLOT_SECONDS);
  const sums = new Float64Array(SLOTS);
  const counts = new Uint16Array(SLOTS);
  const firstSecond = lastSecond - values.length + 1;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const slot = SLOTS - 1 - (lastSlot - Math.floor((firstSecond + index) / SLOT_SECONDS));
    if (slot < 0 || slot >= SLOTS) continue;
    sums[slot] = (sums[slot] ?? 0) + value;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return Array.from(sums, (sum, slot) => {
    const count = counts[slot] ?? 0;
    return count === 0 ? null : sum / count;
  });
};

/** The line. A slot may be late by one before it counts as a gap, since slow sources report once in a slot. */
export const sparklinePath = (
  slots: readonly (number | null)[],
  { low, high }: SparklineRange,
  { width, height }: SparklineSize,
): SparklinePath => {
  const x = (slot: number): number => round((slot / (SLOTS - 1)) * (width - 4));
  const y = (value: number): number => {
    const share = high > low ? (value - low) / (high - low) : 0;
    return round(height - 2 - Math.min(1, Math.max(0, share)) * (height - 4));
  };
  let d = '';
  let drawn = Number.NEGATIVE_INFINITY;
  let end: { readonly x: number; readonly y: number } | undefined;
  for (const [slot, value] of slots.entries()) {
    if (value === null) continue;
    end = { x: x(slot), y: y(value) };
    d += `${slot - drawn > 2 ? 'M' : 'L'}${end.x} ${end.y}`;
    drawn = slot;
  }
  return { d, end: slots.length - 1 - drawn <= 2 ? end : undefined };
};

/** Lowest and highest of what is known; undefined when nothing is. */
export const extremes = (slots: readonly (number | null)[]): SparklineRange | undefined => {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of slots) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? { low, high } : undefined;
};

const round = (value: number): number => Math.round(value * 10) / 10;
