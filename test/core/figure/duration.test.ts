import { describe, expect, test } from 'vitest';
import {
  formatAge,
  formatClock,
  formatMeasuredNanoseconds,
  formatNanoseconds,
  formatNanosecondsTick,
  formatUptime,
  nanosecondsTicks,
} from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';

const plain = (figure: { figure: string; unit: string }) => figureText(figure).replaceAll('\u00a0', ' ');

describe('durations', () => {
  test('an age is coarse and never reports now', () => {
    expect(plain(formatAge(-5))).toBe('0.0 s');
    expect(plain(formatAge(320))).toBe('0.3 s');
    expect(plain(formatAge(960))).toBe('1 s');
    expect(plain(formatAge(41_400))).toBe('41 s');
    expect(plain(formatAge(59_600))).toBe('1 min');
    expect(plain(formatAge(125_000))).toBe('2 min');
    expect(plain(formatAge(3 * 3_600_000))).toBe('3 h');
    expect(plain(formatAge(12 * 86_400_000))).toBe('12 d');
    expect(plain(formatAge(Number.NaN))).toBe('–');
  });

  test('an uptime is as fine as it is useful', () => {
    expect(formatUptime(48)).toBe('48 s');
    expect(formatUptime(3_599)).toBe('59 min');
    expect(formatUptime(3 * 3_600 + 12 * 60)).toBe('3 h 12 min');
    expect(formatUptime(41 * 86_400 + 5)).toBe('41 days');
  });

  test('a measured time takes the unit it is read in', () => {
    expect(plain(formatNanoseconds(640))).toBe('640 ns');
    expect(plain(formatNanoseconds(9_040))).toBe('9.0 µs');
    expect(plain(formatNanoseconds(88_000))).toBe('88 µs');
    expect(plain(formatNanoseconds(2_700_000))).toBe('2.7 ms');
    expect(plain(formatNanoseconds(184_000_000))).toBe('184 ms');
    expect(plain(formatNanoseconds(1_842_000_000))).toBe('1.84 s');
    expect(plain(formatNanoseconds(61_000_000_000))).toBe('61.0 s');
  });

  test.each([
    [0, '0 ns'],
    [999, '999 ns'],
    [999.6, '1.00 µs'],
    [12_340, '12.3 µs'],
    [179_600, '180 µs'],
    [999_600, '1.00 ms'],
    [2.7e6, '2.70 ms'],
    [14.94e6, '14.9 ms'],
    [99.96e6, '100 ms'],
    [999.6e6, '1.00 s'],
    [3_456_789_012, '3.46 s'],
    [3_600e9, '3 600 s'],
    [Number.NaN, '–'],
  ])('a result of %d ns keeps three digits: %s', (ns, text) => {
    expect(plain(formatMeasuredNanoseconds(ns))).toBe(text);
  });

  test('a tick carries no meaningless digits', () => {
    const ticks = [0, 5e6, 50e6, 1.5e9, 2e9, 100e6];
    expect(ticks.map(ns => formatNanosecondsTick(ns).replace('\u00a0', ' '))).toEqual([
      '0',
      '5 ms',
      '50 ms',
      '1.5 s',
      '2 s',
      '100 ms',
    ]);
  });

  test('close ticks have enough digits to be distinguished, and one unit', () => {
    const labels = (values: readonly number[]): readonly string[] =>
      nanosecondsTicks(values).map(label => label.replace(/\u00a0/g, ' '));
    expect(labels([0, 250e6, 500e6])).toEqual(['0', '250 ms', '500 ms']);
    expect(labels([500e6, 1e9, 2e9])).toEqual(['500 ms', '1 s', '2 s']);
    expect(labels([5.055e9, 5.06e9, 5.065e9])).toEqual(['5.055 s', '5.060 s', '5.065 s']);
    expect(labels([304_000_050, 304_000_100])).toEqual(['304.00005 ms', '304.00010 ms']);
    expect(labels([1e6, 10e6, 100e6, 1e9, 10e9])).toEqual(['1 ms', '10 ms', '100 ms', '1 s', '10 s']);
    expect(labels([7, 7])).toEqual(['7 ns', '7 ns']);
  });

  test('a clock counts hours only where there are some', () => {
    expect([0, 59_999, 750_000, 3_723_000].map(formatClock)).toEqual(['0:00', '0:59', '12:30', '1:02:03']);
  });
});
