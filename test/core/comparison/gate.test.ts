import { describe, expect, test } from 'vitest';
import type { ComparisonDocument, ComparisonGate } from '../../../src/core/comparison/comparison-document.ts';
import { type GateRule, judgeGate, parseGateRule } from '../../../src/core/comparison/gate.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { gateLines } from '../../../src/render/comparison/gate-text.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';

const PAIRS = [
  [318, 280],
  [320, 284],
] as const;

const rule = (text: string): GateRule => {
  const result = parseGateRule(text);
  if (result.kind === 'wrong') throw new Error(result.problem);
  return result.value;
};

/** A comparison whose TTFT p90 has this ratio. */
const withRatio = (low: number, high: number): ComparisonDocument => {
  const document = madeUpComparison(PAIRS);
  return {
    ...document,
    metrics: document.metrics.map(metric =>
      metric.name === 'ttft.p90' ? { ...metric, ratio: { value: (low + high) / 2, low, high } } : metric,
    ),
  };
};

const outcomeCode = ({ outcome }: ComparisonGate): number =>
  ({ passed: 0, worse: 18, broken: 18, undecided: 19, 'not-comparable': 20 })[outcome];

const gateOf = (document: ComparisonDocument, rules: readonly string[], failsIfUndecided = false) =>
  judgeGate(document, { rules: rules.map(rule), failsIfUndecided });

describe('a rule of a gate', () => {
  test.each([
    ['ttft.p90 > +5%', { metric: 'ttft.p90', isRise: true, share: 0.05, text: 'ttft.p90 > +5%' }],
    [
      '  output.rate<-2 % ',
      { metric: 'output.rate', isRise: false, share: -0.02, text: 'output.rate < -2%' },
    ],
    ['tpot.p99 > 0.5%', { metric: 'tpot.p99', isRise: true, share: 0.005, text: 'tpot.p99 > +0.5%' }],
  ])('is read: %s', (text, expected) => {
    expect(parseGateRule(text)).toEqual({ kind: 'ok', value: expected });
  });

  test.each([
    ['', 'is not a rule'],
    ['ttft.p90 > 5', 'is not a rule'],
    ['ttft.p90 >= 5%', 'is not a rule'],
    ['tftt.p90 > 5%', 'is not a metric'],
    ['constructor.p90 > 5%', 'is not a metric'],
    ['output.rate < -100%', 'out of range'],
    ['ttft.p90 > 1001%', 'out of range'],
    [`ttft.p90 > ${'9'.repeat(4_000)}%`, 'is not a rule'],
  ])('is refused: %s', (text, problem) => {
    expect(parseGateRule(text)).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(problem) });
  });

  test('is broken by the near end of the interval only', () => {
    expect(gateOf(withRatio(1.051, 1.2), ['ttft.p90 > +5%'])).toMatchObject({
      outcome: 'broken',
      rules: [{ state: 'broken', nearest: expect.closeTo(0.051) }],
    });
    expect(gateOf(withRatio(1.049, 1.2), ['ttft.p90 > +5%'])).toMatchObject({
      outcome: 'passed',
      rules: [{ state: 'open' }],
    });
    expect(gateOf(withRatio(0.85, 0.914), ['ttft.p90 > +5%'])).toMatchObject({
      outcome: 'passed',
      rules: [{ state: 'passes', nearest: expect.closeTo(-0.086) }],
    });
    expect(gateOf(withRatio(0.85, 0.914), ['ttft.p90 < -8%'])).toMatchObject({ outcome: 'broken' });
  });
});

describe('a gate', () => {
  test('fails by what is undecided only where that was asked', () => {
    const open = withRatio(1.0, 1.2);
    expect(outcomeCode(gateOf(open, ['ttft.p90 > +5%']))).toBe(0);
    expect(outcomeCode(gateOf(open, ['ttft.p90 > +5%'], true))).toBe(19);
  });

  test('does not pass because a figure is missing', () => {
    const document = madeUpComparison(PAIRS);
    const metrics = document.metrics.map(metric => ({ ...metric, ratio: unknown('too short for it') }));
    const gate = gateOf({ ...document, metrics }, ['ttft.p90 > +5%']);
    expect(outcomeCode(gate)).toBe(20);
    expect(gateLines({ gate })).toEqual([
      'The gate fails: not comparable.',
      'ttft.p90 > +5%: not comparable, too short for it',
    ]);
  });

  test('reports nothing where the sides are not comparable, unless somebody overruled it', () => {
    const refusals = [{ code: 'model', problem: 'Different models answered', a: 'x', b: 'y' }] as const;
    const document = { ...withRatio(1.1, 1.2), refusals };
    expect(outcomeCode(gateOf({ ...document, isAnyway: false }, ['ttft.p90 > +5%']))).toBe(20);
    expect(outcomeCode(gateOf({ ...document, isAnyway: true }, ['ttft.p90 > +5%']))).toBe(18);
  });

  test.each([
    [{ kind: 'worse' }, 18],
    [{ kind: 'better' }, 0],
    [{ kind: 'same' }, 0],
    [{ kind: 'different' }, 0],
    [{ kind: 'undecided', pairsToDecide: 14 }, 19],
    [{ kind: 'not-comparable', reason: 'too short' }, 20],
  ] as const)('without rules goes by the primary metric: %j ends with %d', (verdict, code) => {
    expect(outcomeCode(gateOf({ ...madeUpComparison(PAIRS), verdict }, []))).toBe(code);
  });
});
