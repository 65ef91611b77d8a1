import { describe, expect, test } from 'vitest';
import { ageText } from '../../../dashboard/src/figure/age.ts';
import { formatNominalRate } from '../../../dashboard/src/figure/rate.ts';
import { reportedFigure, reportedText } from '../../../dashboard/src/figure/reported.ts';
import { formatBytes, formatPercent } from '../../../src/core/figure/figure.ts';
import { unknown } from '../../../src/core/unknown.ts';

describe('negotiated rates', () => {
  test('are bits for links', () => {
    expect(formatNominalRate(10e9, 'bits')).toEqual({ figure: '10', unit: 'Gb/s' });
  });

  test('are bytes where the reader chose so', () => {
    expect(formatNominalRate(10e9, 'bytes')).toEqual({ figure: '1.25', unit: 'GB/s' });
    expect(formatNominalRate(80e9, 'bytes')).toEqual({ figure: '10', unit: 'GB/s' });
  });
});

describe('reported values', () => {
  test('a zero is a measurement', () => {
    expect(reportedFigure(0, formatBytes)).toEqual({ text: '0\u00a0B', reason: '' });
  });

  test('an unknown is a dash with its reason', () => {
    expect(reportedFigure(unknown('no sensor'), formatPercent)).toEqual({ text: '–', reason: 'no sensor' });
    expect(reportedText(unknown('no DMI'))).toEqual({ text: '–', reason: 'no DMI' });
  });

  test('what was not read yet reports it', () => {
    expect(reportedFigure(undefined, formatPercent)).toEqual({ text: '–', reason: 'not read yet' });
  });

  test('a narrow space is before %', () => {
    expect(reportedFigure(0.62, formatPercent).text).toBe('62\u202f%');
  });
});

test('an age under a second reports only that', () => {
  expect([0, 400, 949].map(ageText)).toEqual(['<\u00a01\u00a0s', '<\u00a01\u00a0s', '<\u00a01\u00a0s']);
  expect([950, 41_000, 120_000].map(ageText)).toEqual(['1\u00a0s', '41\u00a0s', '2\u00a0min']);
});
