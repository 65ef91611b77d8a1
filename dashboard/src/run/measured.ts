// Times that a run measured, in three significant digits as the text report writes them: 14.9 ms and 15.4 ms per token are
// not the same speed.

import type { Figure } from '../../../src/core/figure/figure.ts';
import { figureText, UNKNOWN_FIGURE } from '../../../src/core/figure/figure.ts';

/** "0 ns", "180 µs", "14.9 ms", "1.84 s". */
export const formatMeasured = (nanoseconds: number): Figure => {
  if (!Number.isFinite(nanoseconds)) return UNKNOWN_FIGURE;
  const size = Math.abs(nanoseconds);
  if (size < 999.5) return { figure: nanoseconds.toFixed(0), unit: 'ns' };
  if (size < 999.5e3) return { figure: threeDigits(nanoseconds / 1e3), unit: 'µs' };
  if (size < 999.5e6) return { figure: threeDigits(nanoseconds / 1e6), unit: 'ms' };
  return { figure: threeDigits(nanoseconds / 1e9), unit: 's' };
};

/** Of an axis: without digits that say nothing. */
export const tickText = (nanoseconds: number): string => {
  if (nanoseconds === 0) return '0';
  const { figure, unit } = formatMeasured(nanoseconds);
  return figureText({ figure: figure.includes('.') ? figure.replace(/\.?0+$/, '') : figure, unit });
};

const threeDigits = (value: number): string => {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
};
