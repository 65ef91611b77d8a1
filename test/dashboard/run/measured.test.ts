import { expect, test } from 'vitest';
import { formatMeasured, tickText } from '../../../dashboard/src/run/measured.ts';
import { figureText } from '../../../src/core/figure/figure.ts';

test('measured times have three significant digits', () => {
  const texts = [0, 999, 1_000, 179_600, 999_600, 2.7e6, 14.94e6, 99.96e6, 184e6, 999.6e6, 1.836e9, 120e9];
  expect(texts.map(ns => figureText(formatMeasured(ns)).replace('\u00a0', ' '))).toEqual([
    '0 ns',
    '999 ns',
    '1.00 µs',
    '180 µs',
    '1.00 ms',
    '2.70 ms',
    '14.9 ms',
    '100 ms',
    '184 ms',
    '1.00 s',
    '1.84 s',
    '120 s',
  ]);
});

test('ticks carry no digits that say nothing', () => {
  const ticks = [0, 5e6, 50e6, 1.5e9, 2e9, 100e6];
  expect(ticks.map(ns => tickText(ns).replace('\u00a0', ' '))).toEqual([
    '0',
    '5 ms',
    '50 ms',
    '1.5 s',
    '2 s',
    '100 ms',
  ]);
});
