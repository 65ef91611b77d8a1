import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  outputOverTime,
  percentileBands,
  type RunColumns,
  requestsOverTime,
} from '../../../src/render/chart/run-charts.ts';
import { columnArea, columnBand, columnLine } from '../../../src/render/chart/series-path.ts';
import { timeTicks, valueAxis } from '../../../src/render/chart/value-axis.ts';

const SIZE = { width: 400, height: 150, name: 'made up' } as const;
const scale = { x: (index: number) => index * 10, y: (value: number) => 100 - value };

const columns = (column: readonly (number | null)[]): RunColumns => ({
  stepMs: 1_000,
  percentilesNs: { 1: column, 10: column, 25: column, 50: column, 75: column, 90: column, 99: column },
  outputTokensPerSecond: column,
  requestsPerSecond: column,
  inFlight: column,
  failed: column.map(() => 0),
});

describe('columns as paths', () => {
  test('a line is broken where nothing is known, and a point alone is as wide as its step', () => {
    expect(columnLine([1, 2, null, 4], scale)).toBe('M0 99L10 98M25 96L35 96');
    expect(columnLine([null, null], scale)).toBe('');
  });

  test('a band goes forth along its upper edge and back along its lower one', () => {
    expect(columnBand([1, 1], [3, 4], scale)).toBe('M0 97L10 96L10 99L0 99Z');
    expect(columnArea([null, 5, 5], scale)).toBe('M10 95L20 95L20 100L10 100Z');
  });
});

describe('axes', () => {
  test('have round values from 0, the greatest within them', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
        fc.integer({ min: 2, max: 8 }),
        (most, steps) => {
          const axis = valueAxis(most, steps);
          expect(axis.max).toBeGreaterThanOrEqual(most * (1 - 1e-9));
          expect(axis.ticks.length).toBeGreaterThanOrEqual(1);
          expect(axis.ticks.length).toBeLessThanOrEqual(steps + 1);
          expect(axis.ticks[0]).toBe(0);
          expect(axis.share(axis.max)).toBe(1);
        },
      ),
    );
    expect(valueAxis(840, 4).ticks).toEqual([0, 500]);
    expect(valueAxis(780, 4).ticks).toEqual([0, 200, 400, 600, 800]);
    expect(valueAxis(0, 4)).toMatchObject({ ticks: [0] });
  });

  test('of time have whole seconds, minutes or hours', () => {
    expect(timeTicks(70_000, 9)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000]);
    expect(timeTicks(3 * 3_600_000, 5)).toEqual([0, 3_600_000, 7_200_000, 10_800_000]);
  });
});

describe('pictures of a run', () => {
  test('are not drawn of fewer than two points, where nothing would be seen', () => {
    expect(percentileBands(columns([5, null]), [], SIZE)).toBeUndefined();
    expect(outputOverTime(columns([null, 5]), SIZE)).toBeUndefined();
    expect(requestsOverTime(columns([]), SIZE)).toBeUndefined();
  });

  test('contain no invalid number, for any columns', () => {
    const value = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 40 }), column => {
        for (const drawn of [
          percentileBands(columns(column), [{ limitNs: 5e6, label: 'objective' }], SIZE),
          outputOverTime(columns(column), SIZE),
          requestsOverTime(columns(column), SIZE),
        ])
          expect(drawn?.markup ?? '').not.toMatch(/NaN|Infinity|undefined/);
      }),
    );
  });
});
