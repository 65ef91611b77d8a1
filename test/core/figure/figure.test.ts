import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatBytesOf,
  formatBytesPerSecond,
  formatCapacityBytes,
  formatCelsius,
  formatCount,
  formatFinePercent,
  formatFlopsPerSecond,
  formatMegahertz,
  formatNominalBitsPerSecond,
  formatPercent,
  formatThreeDigits,
  formatTick,
  formatWatts,
} from '../../../src/core/figure/figure.ts';

const plain = (figure: { figure: string; unit: string }) =>
  figureText(figure).replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('figures', () => {
  test('are written with three significant digits in decimal units', () => {
    expect(plain(formatBitsPerSecond(9.412e9))).toBe('9.41 Gb/s');
    expect(plain(formatBitsPerSecond(74_800_000_000))).toBe('74.8 Gb/s');
    expect(plain(formatBitsPerSecond(612_300_000))).toBe('612 Mb/s');
    expect(plain(formatBytesPerSecond(1.33e12))).toBe('1.33 TB/s');
    expect(plain(formatFlopsPerSecond(23.6e12))).toBe('23.6 TFLOPS');
    expect(plain(formatBytes(0))).toBe('0 B');
    expect(plain(formatBytes(999))).toBe('999 B');
    expect(plain(formatBytes(8_325_668_864))).toBe('8.33 GB');
  });

  test('without a unit have three digits, and two decimals at most', () => {
    const texts = [0, 0.42, 9.994, 34.21, 99.96, 12_345, Number.NaN].map(formatThreeDigits);
    expect(texts).toEqual(['0.00', '0.42', '9.99', '34.2', '100', '12\u00a0345', '–']);
    expect([0, 0.5, 2.5, 40, 99.96].map(formatTick)).toEqual(['0', '0.5', '2.5', '40', '100']);
  });

  test('move to the next unit rather than show four digits', () => {
    expect(plain(formatBytes(999_499_999))).toBe('999 MB');
    expect(plain(formatBytes(999_500_000))).toBe('1.00 GB');
    expect(plain(formatBytes(9_995_000_000))).toBe('10.0 GB');
    expect(plain(formatBytes(99_950_000_000))).toBe('100 GB');
  });

  test('drop meaningless digits from rates and capacities that were agreed on', () => {
    expect(plain(formatNominalBitsPerSecond(10e9))).toBe('10 Gb/s');
    expect(plain(formatNominalBitsPerSecond(2.5e9))).toBe('2.5 Gb/s');
    expect(plain(formatNominalBitsPerSecond(100e9))).toBe('100 Gb/s');
    expect(plain(formatCapacityBytes(24e9))).toBe('24 GB');
    expect(plain(formatCapacityBytes(1.5e12))).toBe('1.5 TB');
  });

  test('of a part stand in the unit of the whole', () => {
    expect(plain(formatBytesOf(318e9, 512e9))).toBe('318 of 512 GB');
    expect(plain(formatBytesOf(19.94e9, 24e9))).toBe('19.9 of 24 GB');
    expect(plain(formatBytesOf(72e9, 256e9))).toBe('72 of 256 GB');
    expect(plain(formatBytesOf(0, 8.33e9))).toBe('0.00 of 8.33 GB');
    expect(plain(formatBytesOf(0, 0))).toBe('0 of 0 B');
  });

  test('of shares, heat and power are as coarse as they are read', () => {
    expect(plain(formatPercent(0.6249))).toBe('62 %');
    expect(figureText(formatPercent(0.5))).toBe('50\u202f%');
    expect(plain(formatFinePercent(0.003))).toBe('0.3 %');
    expect(plain(formatFinePercent(0.62))).toBe('62 %');
    expect(plain(formatCelsius(63.6))).toBe('64 °C');
    expect(plain(formatCelsius(-0.2))).toBe('0 °C');
    expect(plain(formatWatts(268.3))).toBe('268 W');
    expect(plain(formatWatts(4.61))).toBe('4.6 W');
    expect(plain(formatWatts(1_210))).toBe('1.21 kW');
    expect(plain(formatMegahertz(2_400))).toBe('2.40 GHz');
    expect(formatCount(24_576)).toBe('24\u00a0576');
  });

  test('of what is not a number are a dash', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(plain(formatBytes(value))).toBe('–');
      expect(plain(formatPercent(value))).toBe('–');
      expect(plain(formatBytesOf(value, 1))).toBe('–');
      expect(formatCount(value)).toBe('–');
    }
  });

  test('never need more than three significant digits, and are within half a percent of the value', () => {
    const factors: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
    fc.assert(
      fc.property(fc.double({ min: 1, max: 9e17, noNaN: true }), bytes => {
        const { figure, unit } = formatBytes(bytes);
        expect(figure.replace('.', '').length).toBeLessThanOrEqual(3);
        const shown = Number(figure) * (factors[unit] ?? Number.NaN);
        expect(Math.abs(shown - bytes) / bytes).toBeLessThanOrEqual(0.00501);
      }),
    );
  });
});
