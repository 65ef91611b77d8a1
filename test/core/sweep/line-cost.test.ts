import * as v from 'valibot';
import { expect, test } from 'vitest';
import { costSchema } from '../../../src/core/run/run-cost.ts';
import { lineCost } from '../../../src/core/sweep/line-cost.ts';
import type { Stage, StageVerdict } from '../../../src/core/sweep/stage.ts';
import type { LoadLine } from '../../../src/core/sweep/sweep-document.ts';
import { type Reported, unknown } from '../../../src/core/unknown.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

const NONE = unknown('requests are independent');
const [MADE_UP] = madeUpLine().stages;

interface MadeUpStage {
  readonly requestsPerSecond: number;
  readonly verdict: StageVerdict;
  /** Of its last answers too, which its own figures are divided by. */
  readonly perRequest: number;
  readonly perMillionOutputTokens: number;
  readonly perHour?: Reported<number>;
  readonly failed?: number;
}

const stageOf = ({ requestsPerSecond, verdict, failed = 0, ...part }: MadeUpStage): Stage => {
  if (MADE_UP === undefined || !('issued' in MADE_UP.figures)) throw new Error('no stage was made up');
  return {
    ...MADE_UP,
    load: { kind: 'rate', requestsPerSecond, arrival: 'poisson' },
    verdict,
    figures: { ...MADE_UP.figures, completed: 90, failed },
    cost: v.parse(costSchema, {
      currency: '$',
      errorShare: 0,
      parts: [
        {
          of: 'time',
          total: 1,
          perHour: 3.6,
          perSession: NONE,
          perMillionInputTokens: NONE,
          perMillionTokens: NONE,
          ...part,
        },
      ],
    }),
  };
};

/** A hundred tokens in each answer, of which the drain of its stage made every request twice as dear. */
const HOLDS = stageOf({
  requestsPerSecond: 10,
  verdict: 'held',
  perRequest: 0.0002,
  perMillionOutputTokens: 2,
});
const FAILED = stageOf({
  requestsPerSecond: 12.5,
  verdict: 'over-capacity',
  perRequest: 0.001,
  perMillionOutputTokens: 10,
});
const BRACKET: LoadLine = {
  kind: 'bracket',
  holds: 10,
  fails: 12.5,
  failsBy: 'over-capacity',
  isConfirmed: true,
};

const partOf = (line: LoadLine, stages: readonly Stage[]) => lineCost({ line, stages, by: 'rate' })?.parts[0];

test('an hour is divided by the requests of the load at each end, not by those of the stage', () => {
  const part = partOf(BRACKET, [HOLDS, FAILED]);
  expect(part?.perHour).toEqual({ low: 3.6, high: 3.6 });
  expect(part?.perRequest.high).toBeCloseTo(3.6 / 36_000, 12);
  expect(part?.perRequest.low).toBeCloseTo(3.6 / 45_000, 12);
  // 100 tokens each.
  expect(part?.perMillionOutputTokens.high).toBeCloseTo(1, 9);
  expect(part?.perMillionOutputTokens.low).toBeCloseTo(0.8, 9);
  expect(part?.perSession).toEqual({ low: NONE, high: NONE });
});

test('every measurement of an end widens the range, and other loads do not', () => {
  const longer = stageOf({
    requestsPerSecond: 10,
    verdict: 'held',
    perRequest: 0.0002,
    perMillionOutputTokens: 2.5,
  });
  const other = stageOf({
    requestsPerSecond: 5,
    verdict: 'held',
    perRequest: 0.0002,
    perMillionOutputTokens: 9,
  });
  expect(partOf(BRACKET, [other, HOLDS, longer, FAILED])?.perMillionOutputTokens.high).toBeCloseTo(1.25, 9);
});

test('requests that completed pay for those that failed', () => {
  const refused = stageOf({
    requestsPerSecond: 10,
    verdict: 'held',
    perRequest: 0.0002,
    perMillionOutputTokens: 2,
    failed: 10,
  });
  expect(partOf(BRACKET, [refused, FAILED])?.perRequest.high).toBeCloseTo(3.6 / 36_000 / 0.9, 12);
});

test('an end that is not known leaves its side unknown, with the reason', () => {
  const atLeast: LoadLine = { kind: 'at-least', holds: 10, limit: 'budget' };
  expect(partOf(atLeast, [HOLDS])?.perRequest).toEqual({
    low: unknown('no load failed'),
    high: expect.closeTo(0.0001, 9),
  });
  const atMost: LoadLine = { kind: 'at-most', fails: 12.5, failsBy: 'objective', limit: 'undecided' };
  expect(partOf(atMost, [FAILED])?.perRequest).toEqual({
    low: expect.closeTo(0.00008, 9),
    high: unknown('no load held'),
  });
  expect(partOf({ kind: 'none', fails: 12.5, failsBy: 'objective' }, [FAILED])).toBeUndefined();
});

test('an hour of the server costs the same at any load, whichever end is known', () => {
  const same = { low: 3.6, high: 3.6 };
  expect(partOf({ kind: 'at-least', holds: 10, limit: 'budget' }, [HOLDS])?.perHour).toEqual(same);
  const atMost: LoadLine = { kind: 'at-most', fails: 12.5, failsBy: 'objective', limit: 'undecided' };
  expect(partOf(atMost, [FAILED])?.perHour).toEqual(same);
});

test('electricity that no sensor measured is unknown, and without prices there is no cost', () => {
  const reason = unknown('no energy was measured');
  const unmeasured = stageOf({
    requestsPerSecond: 10,
    verdict: 'held',
    perRequest: 0.0002,
    perMillionOutputTokens: 2,
    perHour: reason,
  });
  expect(partOf(BRACKET, [unmeasured])?.perRequest.high).toEqual(reason);
  const { cost: _cost, ...unpriced } = HOLDS;
  expect(lineCost({ line: BRACKET, stages: [unpriced], by: 'rate' })).toBeUndefined();
});
