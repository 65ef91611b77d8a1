import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import {
  parseThinkTime,
  THINK_MS_MAX,
  type ThinkTime,
  thinkTimes,
  thinkTimeText,
} from '../../../src/core/run/think-time.ts';

const thinkOf = (text: string): ThinkTime => {
  const time = parseThinkTime(text);
  if (time.kind === 'wrong') throw new Error(time.problem);
  return time.value;
};

test.each<readonly [string, ThinkTime]>([
  ['2s', { kind: 'fixed', ms: 2_000 }],
  ['0', { kind: 'fixed', ms: 0 }],
  ['250ms', { kind: 'fixed', ms: 250 }],
  ['1s..5s', { kind: 'uniform', minMs: 1_000, maxMs: 5_000 }],
  ['0..1m', { kind: 'uniform', minMs: 0, maxMs: 60_000 }],
  [' exponential(2s) ', { kind: 'exponential', meanMs: 2_000 }],
  ['Exponential (500ms)', { kind: 'exponential', meanMs: 500 }],
])('%j is a time to think', (text, time) => {
  expect(parseThinkTime(text)).toEqual({ kind: 'ok', value: time });
});

test.each<readonly [string, RegExp]>([
  ['', /not a time/],
  ['2', /not a time/],
  ['-1s', /not a time/],
  ['5s..1s', /ends before it begins/],
  ['1s..2s..3s', /not a time/],
  ['..2s', /not a time/],
  ['exponential()', /not a time/],
  ['normal(2s,1s)', /not a time/],
  ['25h', /longer than a day/],
  [`${'9'.repeat(500)}s`, /longer than a day|not a time/],
])('%j is refused in words that are short', (text, problem) => {
  const wrong = parseThinkTime(text);
  if (wrong.kind !== 'wrong') throw new Error('it was taken');
  expect(wrong.problem).toMatch(problem);
  expect(wrong.advice).not.toBe('');
});

const milliseconds = fc.nat(THINK_MS_MAX);
const anyTime: fc.Arbitrary<ThinkTime> = fc.oneof(
  fc.record({ kind: fc.constant('fixed'), ms: milliseconds }),
  fc
    .tuple(milliseconds, milliseconds)
    .map(([a, b]): ThinkTime => ({ kind: 'uniform', minMs: Math.min(a, b), maxMs: Math.max(a, b) })),
  fc.record({ kind: fc.constant('exponential'), meanMs: milliseconds }),
);

test('what is written of a time is read as that time, and each draw is within its bounds', () => {
  fc.assert(
    fc.property(anyTime, fc.nat(), (time, seed) => {
      expect(parseThinkTime(thinkTimeText(time))).toEqual({ kind: 'ok', value: time });
      const draw = thinkTimes(time, seededRandom(seed));
      const [low, high] =
        time.kind === 'fixed'
          ? [time.ms, time.ms]
          : time.kind === 'uniform'
            ? [time.minMs, time.maxMs]
            : [0, THINK_MS_MAX];
      for (let index = 0; index < 20; index += 1) {
        const ms = draw();
        expect(ms).toBeGreaterThanOrEqual(low);
        expect(ms).toBeLessThanOrEqual(high);
      }
    }),
  );
});

test('draws have the mean that was asked for, and the same seed draws the same', () => {
  const meanOf = (text: string): number => {
    const draw = thinkTimes(thinkOf(text), seededRandom(7));
    const draws = Array.from({ length: 20_000 }, draw);
    expect(Array.from({ length: 3 }, thinkTimes(thinkOf(text), seededRandom(7)))).toEqual(draws.slice(0, 3));
    return draws.reduce((sum, ms) => sum + ms, 0) / draws.length;
  };
  // Five standard errors of 20,000 draws.
  expect(Math.abs(meanOf('1s..5s') - 3_000)).toBeLessThan(5 * (4_000 / Math.sqrt(12 * 20_000)));
  expect(Math.abs(meanOf('exponential(2s)') - 2_000)).toBeLessThan(5 * (2_000 / Math.sqrt(20_000)));
});
