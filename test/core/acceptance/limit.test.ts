// Limits of an acceptance: which one counts, and what comparable parts are a reference for.

import { describe, expect, test } from 'vitest';
import { comparableLimit, judgedFigure, type Limit, planLimit } from '../../../src/core/acceptance/limit.ts';
import { unknown } from '../../../src/core/unknown.ts';

const SUBJECT = { subject: 'atlas, GPU 0', nodes: ['atlas'] };
const COMPARED = { unit: 'bytes/s', side: 'min', variation: 0.1, parts: 'devices' } as const;

const valuesOf = (values: readonly number[]): readonly number[] =>
  comparableLimit(values, COMPARED).map(({ value }) => value);

describe('the limit from comparable parts', () => {
  test('needs three of them', () => {
    expect(comparableLimit([100, 100], COMPARED)).toEqual([]);
    expect(valuesOf([100, 100, 100])).toEqual([90]);
  });

  test('is that of the median, so that one slow part does not move it', () => {
    expect(valuesOf([100, 100, 100, 20])).toEqual([90]);
    expect(comparableLimit([100, 100, 100, 20], COMPARED)).toMatchObject([
      { from: 'comparable', text: '90 % of the median of 4 comparable devices, 100\u00a0B/s' },
    ]);
  });

  test('widens with their spread, up to twice the usual variation', () => {
    expect(valuesOf([97, 100, 103])[0]).toBeCloseTo(100 - 4 * 1.4826 * 3, 6);
    expect(valuesOf([10, 50, 100, 150, 200])).toEqual([80]);
  });

  test('of a time is above the median', () => {
    expect(comparableLimit([100, 100, 100], { ...COMPARED, side: 'max' })).toMatchObject([
      { value: expect.closeTo(110, 6) },
    ]);
  });
});

describe('a figure', () => {
  const limits: readonly Limit[] = [
    { value: 60, from: 'negotiated', text: 'of the port' },
    { value: 90, from: 'comparable', text: 'of the others' },
  ];
  const judged = (value: number, more: readonly Limit[] = []) =>
    judgedFigure({ ...SUBJECT, value, side: 'min', limits: [...limits, ...more], without: 'nothing' });

  test('is judged by the tightest limit that is known', () => {
    expect(judged(95)).toMatchObject({
      result: 'pass',
      limit: 90,
      from: 'comparable',
      reason: 'of the others',
    });
    expect(judged(89)).toMatchObject({ result: 'fail', limit: 90, from: 'comparable' });
    expect(judged(90)).toMatchObject({ result: 'pass' });
  });

  test('is judged by the plan alone where that has a limit', () => {
    expect(judged(50, planLimit(40))).toMatchObject({ result: 'pass', limit: 40, from: 'plan' });
    expect(judged(95, planLimit(96))).toMatchObject({ result: 'fail', from: 'plan' });
  });

  test('is undecided with its reason where it is unknown, or where nothing is known to compare it with', () => {
    const common = { ...SUBJECT, side: 'min', without: 'nothing to compare with' } as const;
    expect(judgedFigure({ ...common, value: unknown('its probe waits'), limits })).toMatchObject({
      result: 'undecided',
      reason: 'its probe waits',
      from: 'none',
    });
    expect(judgedFigure({ ...common, value: 5, limits: [] })).toMatchObject({
      result: 'undecided',
      reason: 'nothing to compare with',
      value: 5,
    });
  });
});
