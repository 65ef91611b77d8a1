// Rates of links in the unit that the reader chose.

import {
  type Figure,
  formatBytesPerSecond,
  formatNominalBitsPerSecond,
  withoutTrailingZeros,
} from '../../../src/core/figure/figure.ts';

/** A negotiated rate: "10 Gb/s", or "1.25 GB/s". */
export const formatNominalRate = (bitsPerSecond: number, unit: 'bits' | 'bytes'): Figure => {
  if (unit === 'bits') return formatNominalBitsPerSecond(bitsPerSecond);
  return withoutTrailingZeros(formatBytesPerSecond(bitsPerSecond / 8));
};
