// Lists of stamps in an event batch: as integer differences if they represent exactly the same values, else
// unchanged.

/** Whole nanoseconds, none before the last, no gap of 4.29 s or more: then differences are exact. */
export const fitDifferences = (stampsNs: ArrayLike<number>, start: number, end: number): boolean => {
  let before = stampsNs[start];
  if (before === undefined || !Number.isSafeInteger(before)) return false;
  for (let index = start + 1; index < end; index += 1) {
    const stamp = stampsNs[index] ?? Number.NaN;
    const difference = stamp - before;
    if (!(difference >= 0 && difference <= 0xff_ff_ff_ff && Number.isSafeInteger(stamp))) return false;
    before = stamp;
  }
  return true;
};

/** The count, the first stamp, then each difference; they must fit. */
export const putDifferences = (
  view: DataView,
  at: number,
  stampsNs: ArrayLike<number>,
  { start, count }: { readonly start: number; readonly count: number },
): void => {
  let before = stampsNs[start] ?? 0;
  view.setUint16(at, count, true);
  view.setFloat64(at + 2, before, true);
  for (let index = 1; index < count; index += 1) {
    const stamp = stampsNs[start + index] ?? 0;
    view.setUint32(at + 6 + index * 4, stamp - before, true);
    before = stamp;
  }
};

/** The count, then each stamp. */
export const putStamps = (
  view: DataView,
  at: number,
  stampsNs: ArrayLike<number>,
  { start, count }: { readonly start: number; readonly count: number },
): void => {
  view.setUint16(at, count, true);
  for (let index = 0; index < count; index += 1)
    view.setFloat64(at + 2 + index * 8, stampsNs[start + index] ?? 0, true);
};
