import { describe, expect, test } from 'vitest';
import type { LoadLine } from '../../../src/core/sweep/sweep-document.ts';
import { formatPercentOf, lineCurve } from '../../../src/render/chart/line-curve.ts';
import { picturedStages } from '../../../src/render/sweep/pictured-stage.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

describe('the picture of a load line', () => {
  const document = madeUpLine();
  const stages = picturedStages(document.stages);
  const drawn = (more: Partial<Parameters<typeof lineCurve>[0]> = {}) => {
    const curve = lineCurve({
      width: 900,
      stages,
      by: 'rate',
      line: document.line,
      isLive: false,
      limitNs: 500e6,
      hasShares: true,
      ...more,
    });
    if (curve === undefined) throw new Error('there is something to draw');
    return curve;
  };

  test('has a dot for each stage over its load, higher up the longer its percentile is', () => {
    const { dots } = drawn();
    expect(dots.map(({ stage }) => stage.load)).toEqual(
      [1, 2, 4, 8, 12, 12.5, 13, 14, 16].map(requestsPerSecond => ({
        kind: 'rate',
        requestsPerSecond,
        arrival: 'poisson',
      })),
    );
    for (const [index, dot] of dots.slice(1).entries()) {
      expect(dot.x).toBeGreaterThan(dots[index]?.x ?? 0);
      expect(dot.y).toBeLessThan(dots[index]?.y ?? 0);
    }
  });

  test('puts the mark where the objective and the highest load that held meet, and a bracket up to the lowest that failed', () => {
    const { mark, bracket, objectiveY, dots, waterTo, overFrom } = drawn();
    const [heldDot, failed] = [dots[4], dots[5]];
    expect(mark).toEqual({ x: heldDot?.x, y: objectiveY, isDashed: false, arrow: undefined });
    expect(bracket).toMatchObject({ from: heldDot?.x, to: failed?.x });
    expect([waterTo, overFrom]).toEqual([heldDot?.x, failed?.x]);
  });

  test('has the mark dashed and in the middle of the bracket while the search goes on', () => {
    const { mark, bracket } = drawn({ isLive: true });
    expect(mark?.isDashed).toBe(true);
    expect(mark?.x).toBeCloseTo(((bracket?.from ?? 0) + (bracket?.to ?? 0)) / 2, 6);
  });

  test.each<[what: string, line: LoadLine, arrow: string | undefined]>([
    ['every load held', { kind: 'at-least', holds: 12, limit: 'load-max' }, 'right'],
    ['no load held', { kind: 'none', fails: 12.5, failsBy: 'over-capacity' }, 'left'],
    [
      'lower loads are not decided',
      { kind: 'at-most', fails: 13, failsBy: 'objective', limit: 'budget' },
      'left',
    ],
  ])('where %s has a mark with an arrow and no bracket', (_what, line, arrow) => {
    const curve = drawn({ line });
    expect([curve.mark?.arrow, curve.bracket]).toEqual([arrow, undefined]);
  });

  test('of which nothing is known has neither mark nor bracket nor water', () => {
    const { mark, bracket, waterTo } = drawn({ line: { kind: 'unknown', reason: 'nothing yet' } });
    expect([mark, bracket, waterTo]).toEqual([undefined, undefined, undefined]);
  });

  test('leaves out of its curve what reports nothing of the endpoint, and keeps its dot', () => {
    const clientBound = stages.map(stage =>
      stage.number === 5 ? { ...stage, standing: 'client-bound' as const } : stage,
    );
    const [all, fewer] = [drawn(), drawn({ stages: clientBound })];
    expect(fewer.dots).toHaveLength(all.dots.length);
    expect(fewer.median.length).toBeLessThan(all.median.length);
  });

  test('leaves out guesses that were loaded in another way, and is none where there is no other', () => {
    const guesses = stages.map(stage => ({
      ...stage,
      load: { kind: 'concurrency' as const, concurrency: 1 },
    }));
    expect(
      lineCurve({
        width: 900,
        stages: guesses,
        by: 'rate',
        line: document.line,
        isLive: false,
        limitNs: undefined,
        hasShares: true,
      }),
    ).toBeUndefined();
  });

  test('shows two stages at one load next to each other, and joins the later', () => {
    const [last] = stages.slice(-1);
    if (last === undefined) throw new Error('a line has stages');
    const again = { ...last, number: 10, attainment: 0.5 };
    const { bars, dots } = drawn({ stages: [...stages, again] });
    const pair = bars.filter(({ stage }) => stage.number === 9 || stage.number === 10);
    expect(pair).toHaveLength(2);
    expect((pair[1]?.x ?? 0) - (pair[0]?.x ?? 0)).toBeGreaterThanOrEqual(pair[0]?.width ?? 0);
    expect(dots).toHaveLength(stages.length + 1);
  });

  test.each([320, 360, 900, 1_600])('keeps everything within its %i px', width => {
    const curve = drawn({ width });
    for (const { x, y, low, high } of curve.dots)
      for (const at of [y, low, high]) {
        expect(x).toBeGreaterThanOrEqual(curve.left);
        expect(x).toBeLessThanOrEqual(curve.right);
        expect(at).toBeGreaterThanOrEqual(curve.top);
        expect(at).toBeLessThanOrEqual(curve.floor);
      }
    expect(curve.right).toBeLessThanOrEqual(width);
  });

  test('is lower where there are no shares to show', () => {
    expect(drawn({ hasShares: false }).height).toBeLessThan(drawn().height);
  });

  test('reports 100 only of all, and 0 only of none', () => {
    expect([0, 0.0004, 0.956, 0.99999, 1].map(formatPercentOf)).toEqual(['0', '0.0', '95.6', '99.9', '100']);
  });
});
