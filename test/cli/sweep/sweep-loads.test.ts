import { describe, expect, test } from 'vitest';
import { loadLevels } from '../../../src/cli/sweep/sweep-options.ts';
import { requestRate, wholeNumberFrom } from '../../../src/core/option/option-values.ts';

const rates = loadLevels(requestRate);
const users = loadLevels(wholeNumberFrom(1, 20_000));

describe('the loads of a sweep', () => {
  test.each([
    ['1,2,4,8', [1, 2, 4, 8]],
    ['0.5', [0.5]],
    ['1..8x2', [1, 2, 4, 8]],
    ['1..10x2', [1, 2, 4, 8]],
    ['0.1..0.8x2', [0.1, 0.2, 0.4, 0.8]],
    ['1..2x1.25', [1, 1.25, 1.5625, 1.953125]],
    ['10..50+20', [10, 30, 50]],
    ['0.1..0.3+0.1', [0.1, 0.2, 0.3]],
    ['1,4..16x2,100', [1, 4, 8, 16, 100]],
  ])('of %s are %j', (text, levels) => {
    expect(rates(text)).toEqual({ kind: 'ok', value: levels });
  });

  test('of users are whole', () => {
    expect(users('1..256x2')).toEqual({ kind: 'ok', value: [1, 2, 4, 8, 16, 32, 64, 128, 256] });
    expect(users('1..3x1.5')).toMatchObject({ kind: 'wrong', problem: expect.stringContaining('1.5') });
  });

  test.each([
    ['', 'not a number'],
    ['1,,2', 'not a number'],
    ['8..1x2', 'never rises'],
    ['1..8x1', 'never rises'],
    ['1..8x0.5', 'never rises'],
    ['1..8+0', 'never rises'],
    ['1..8', 'not a range'],
    ['1..8*2', 'not a range'],
    ['1,2,1', 'given twice'],
    ['0', 'not a number'],
    ['1..1000000+1', 'more than 256'],
    ['1..1000000x1.0000001', 'more than 256'],
  ])('%j are refused', (text, problem) => {
    const read = rates(text);
    expect(read.kind === 'wrong' ? read.problem : 'taken').toContain(problem);
    expect(read.kind === 'wrong' ? read.advice : '').not.toBe('');
    // This error is about --rates: the advice must not name another option.
    expect(read.kind === 'wrong' ? read.advice : '').not.toMatch(/--rate\b/);
  });
});
