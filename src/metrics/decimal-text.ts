// Exact sums as text and back: whole digits, or with the decimals of a ratio's scale. Sums of nanoseconds and of
// their squares exceed 2⁵³, which JSON numbers cannot represent.

import { standardDeviation } from '../core/statistics/exact-sums.ts';

/** `decimalText(1234n, 2)` is "12.34"; trailing zeros are left out. */
export const decimalText = (digits: bigint, decimals: number): string => {
  if (decimals === 0) return digits.toString();
  const text = digits.toString().padStart(decimals + 1, '0');
  const fraction = text.slice(-decimals).replace(/0+$/, '');
  const whole = text.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

/** undefined for what is not such a text. */
export const parseDecimalText = (text: string, decimals: number): bigint | undefined => {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};

interface Rollup {
  readonly mean: number | null;
  /** Sample standard deviation (n − 1), from exact sums. */
  readonly stdDev: number | null;
}

/** Mean and deviation from a snapshot's texts; null if there are none. */
export const rollupOf = (count: number, total: string, sumOfSquares: string): Rollup => {
  const sum = parseDecimalText(total, SCALE_DECIMALS);
  const squares = parseDecimalText(sumOfSquares, 2 * SCALE_DECIMALS);
  if (count === 0 || sum === undefined || squares === undefined) return { mean: null, stdDev: null };
  const whole = sum / BigInt(count);
  const rest = Number(sum % BigInt(count)) / count;
  const scale = 10 ** SCALE_DECIMALS;
  const deviation = standardDeviation(count, sum, squares);
  return {
    mean: (Number(whole) + rest) / scale,
    stdDev: deviation === undefined ? null : deviation / scale,
  };
};

const DECIMAL = /^(\d{1,80})(?:\.(\d{1,12}))?$/;
const SCALE_DECIMALS = 6;
