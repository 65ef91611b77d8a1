// Durations and sizes as people write them in a config file or on a command line. A number without a unit is refused: 5
// could mean seconds or minutes.

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** `problem` states what is invalid, `advice` what to write instead; each is one sentence. */
  | { readonly kind: 'wrong'; readonly problem: string; readonly advice: string };

export const parsed = <T>(value: T): Parsed<T> => ({ kind: 'ok', value });
export const wrong = (problem: string, advice: string): Parsed<never> => ({ kind: 'wrong', problem, advice });

/** "500ms", "3s", "1.5s", "2m", "1h", "3d" to milliseconds; 0 needs no unit. */
export const parseDurationMs = (text: string): Parsed<number> => {
  if (ZERO.test(text.trim())) return parsed(0);
  const [, digits, unit] = NUMBER_AND_UNIT.exec(text.trim()) ?? [];
  const factor = DURATION_MS.get(unit?.toLowerCase() ?? '');
  if (digits === undefined || factor === undefined) {
    return wrong(
      `${JSON.stringify(text)} is not a duration`,
      'Write a number and a unit: 500ms, 3s, 2m, 1h or 7d.',
    );
  }
  return parsed(exactProduct(digits, factor));
};

/**
 * "16.1" times 1,000 is 16,100: the product of the decimal number as it is written, rounded once. A product
 * of doubles is rounded twice, so that 16.1 s came to 16100.000000000002 ms.
 * @param digits decimal digits with at most one point, no sign
 * @param factor a whole number
 */
export const exactProduct = (digits: string, factor: number): number => {
  const [whole = '', fraction = ''] = digits.split('.');
  return Number(`${BigInt(whole + fraction) * BigInt(factor)}e-${fraction.length}`);
};

/** "0.1" of "0.1 %": 0.001, rounded once. */
export const exactPercent = (digits: string): number => Number(`${digits}e-2`);

/** "512MB", "1.5 GB", "64KiB" to bytes. 1 MB is 10⁶ bytes, 1 MiB is 2²⁰. */
export const parseBytes = (text: string): Parsed<number> => {
  const [, digits, unit] = NUMBER_AND_UNIT.exec(text.trim()) ?? [];
  const factor = SIZE_BYTES.get(unit?.toLowerCase() ?? '');
  if (digits === undefined || factor === undefined) {
    return wrong(
      `${JSON.stringify(text)} is not a size`,
      'Write a number and a unit: 512MB, 1.5GB or 64MiB.',
    );
  }
  return parsed(Math.round(exactProduct(digits, factor)));
};

/** At most 12 digits, so that no figure leaves the range of exact integers. */
const NUMBER_AND_UNIT = /^(\d{1,12}(?:\.\d{1,6})?)\s*([a-zA-Z]+)$/;

const ZERO = /^0{1,12}(?:\.0{1,6})?$/;

const DURATION_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const SIZE_BYTES: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
  ['tib', 2 ** 40],
]);
