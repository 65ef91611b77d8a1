// Whole searches on the virtual clock, against queues whose line is known by an exact simulation.

import { describe, expect, test } from 'vitest';
import { foundLine, lineSentence } from '../../../src/bench/line/found-line.ts';
import { NO_EVIDENCE } from '../../../src/bench/line/line-estimate.ts';
import { nextStep, type SearchedStage, type SearchOptions } from '../../../src/bench/line/line-search.ts';
import type { StageVerdict } from '../../../src/core/sweep/stage.ts';
import { isLongRun, longCases, longCount } from '../../support/counts.ts';
import { LINE_CELLS, trueLine } from '../../support/line-cells.ts';
import { capacityOf } from '../../support/queue-simulator.ts';
import { type Behaviour, simulateLine } from '../../support/simulated-line.ts';

const SEARCH: SearchOptions = {
  by: 'rate',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 100_000,
};

describe('a search for the load line', { timeout: 600_000 }, () => {
  test.each(isLongRun ? LINE_CELLS : LINE_CELLS.filter((_, at) => at % 8 === 0))(
    'holds the truth: $name',
    ({ endpoint }) => {
      const truth = trueLine(endpoint, longCount(200_000, 4_000_000));
      const seeds = longCount(1, 60);
      const outside = Array.from({ length: seeds }, (_, seed) => {
        const { line } = simulateLine(endpoint, { ...SEARCH, budgetMs: 600_000, seed: seed + 1 });
        const isInside =
          (!('holds' in line) || line.holds <= truth * 1.01) &&
          (!('fails' in line) || line.fails >= truth * 0.99);
        return isInside ? [] : [line];
      }).flat();
      expect(outside.length / seeds).toBeLessThanOrEqual(0.05);
    },
  );

  test('of a server that is four at a time finds both ends and measures them twice', () => {
    const { line, stages } = simulateLine(FOUR, { ...SEARCH, budgetMs: 600_000, seed: 1 });
    expect(line).toMatchObject({ kind: 'bracket', isConfirmed: true });
    expect(stages[0]).toMatchObject({ purpose: 'alone', load: { kind: 'concurrency', concurrency: 1 } });
    expect(stages.filter(({ purpose }) => purpose === 'estimate').length).toBeGreaterThan(0);
    expect(stages.filter(({ purpose }) => purpose === 'confirm').length).toBeGreaterThan(1);
  });

  test('spends a short budget on loads that it can decide', () => {
    // The mock as M/D/8, 100 ms a request, TTFT p95 ≤ 200 ms, four minutes; the line is at 68.1/s.
    const model = { servers: 8, serviceNs: 100e6, serviceVariation: 0 };
    const endpoint = { model, objective: { limitNs: 200e6, share: 0.05 } };
    const lines = Array.from({ length: 5 }, (_, seed) =>
      simulateLine(endpoint, { ...SEARCH, budgetMs: 240_000, seed: seed + 1 }),
    );
    const widths = lines.map(({ line }) => (line.kind === 'bracket' ? line.fails / line.holds : Infinity));
    expect(widths.toSorted((a, b) => a - b)[2]).toBeLessThan(1.6);
    // Stages that ended undecided took less than half of the time of all five.
    const undecided = lines
      .flatMap(({ stages }) => stages)
      .filter(({ purpose, verdict }) => purpose !== 'alone' && verdict === 'undecided');
    const totalNs = (parts: readonly { readonly elapsedNs: number }[]): number =>
      parts.reduce((sum, { elapsedNs }) => sum + elapsedNs, 0);
    expect(totalNs(undecided)).toBeLessThan(0.5 * totalNs(lines));
  });

  test.each(longCases([0, 7, 13], [2, 5, 8, 11]))(
    'uses its budget to within a twentieth, or has ends as near as requested: cell %i',
    cell => {
      const endpoint = LINE_CELLS[cell]?.endpoint ?? FOUR;
      const budgetMs = 480_000;
      for (let seed = 1; seed <= longCount(2, 10); seed += 1) {
        const { line, elapsedNs } = simulateLine(endpoint, { ...SEARCH, budgetMs, seed });
        expect(elapsedNs / 1e6).toBeLessThanOrEqual(1.05 * budgetMs);
        if (line.kind === 'bracket' && line.fails / line.holds <= 1.05) continue;
        expect(elapsedNs / 1e6, line.kind).toBeGreaterThanOrEqual(0.95 * budgetMs);
      }
    },
  );

  test('whose capacity drops by 30 % midway does not report what it carried before', () => {
    const stretch = (atNs: number): number => (atNs < 60e9 ? 1 : 1 / 0.7);
    const { line } = simulateLine(with_({ stretch }), { ...SEARCH, budgetMs: 600_000, seed: 1 });
    if ('holds' in line) expect(line.holds).toBeLessThan(0.7 * capacityOf(FOUR.model));
    expect(['bracket', 'at-most']).toContain(line.kind);
  });

  test('of a server that fails 1 % at all rates finds the line of an objective that allows it', () => {
    const behaviour: Behaviour = { fails: draw => draw < 0.01 };
    const { line } = simulateLine(with_(behaviour), { ...SEARCH, budgetMs: 600_000, seed: 1 });
    expect(line.kind).toBe('bracket');
  });

  test('of a server that fails 10 % at all rates reports that no load holds', () => {
    const behaviour: Behaviour = { fails: draw => draw < 0.1 };
    const { line } = simulateLine(with_(behaviour), { ...SEARCH, budgetMs: 600_000, seed: 1 });
    expect(line).toMatchObject({ kind: 'none', failsBy: 'objective' });
  });

  test('of a server that refuses beyond six in flight is an objective missed, not a growing queue', () => {
    const { line } = simulateLine(with_({ refusesFrom: 6 }), { ...SEARCH, budgetMs: 600_000, seed: 1 });
    expect(line).toMatchObject({ kind: 'bracket', failsBy: 'objective' });
  });

  test('of a server that hangs beyond six in flight ends, with loads below it', () => {
    const { line } = simulateLine(with_({ hangsFrom: 6 }), { ...SEARCH, budgetMs: 600_000, seed: 1 });
    expect(['bracket', 'at-most']).toContain(line.kind);
    if ('fails' in line) expect(line.fails).toBeLessThan(2 * capacityOf(FOUR.model));
  });

  test('by concurrency finds how many at a time meet an objective', () => {
    const { line } = simulateLine(FOUR, {
      ...SEARCH,
      by: 'concurrency',
      loadMax: 64,
      budgetMs: 600_000,
      seed: 1,
    });
    // Up to four at a time wait for nobody; within the limit of three services, twelve share four servers.
    expect(line).toMatchObject({ kind: 'bracket' });
    if (line.kind !== 'bracket') return;
    expect(line.holds).toBeGreaterThanOrEqual(4);
    expect(line.fails).toBeLessThanOrEqual(16);
  });
});

describe('a search by concurrency', { timeout: 600_000 }, () => {
  // The least number of users at which the objective is missed, by a closed loop of 60,000 requests at each number.
  test.each([
    { name: 'M/D/4, p95', servers: 4, variation: 0, services: 3.2, share: 0.05, fails: 13, widest: 1 },
    { name: 'M/G/1, p95', servers: 1, variation: 0.5, services: 4, share: 0.05, fails: 3, widest: 1 },
    { name: 'M/G/16, p90', servers: 16, variation: 0.5, services: 3, share: 0.1, fails: 38, widest: 6 },
    {
      name: 'M/G/16, mean',
      servers: 16,
      variation: 0.5,
      services: 3,
      share: undefined,
      fails: 48,
      widest: 8,
    },
  ])('holds the truth: $name', ({ servers, variation, services, share, fails, widest }) => {
    const endpoint = {
      model: { servers, serviceNs: 25e6, serviceVariation: variation },
      objective: { limitNs: services * 25e6, share },
    };
    for (let seed = 1; seed <= longCount(1, 60); seed += 1) {
      const { line } = simulateLine(endpoint, { ...SEARCH, by: 'concurrency', budgetMs: 300_000, seed });
      expect(line).toMatchObject({ kind: 'bracket', isConfirmed: true });
      if (line.kind !== 'bracket') return;
      expect(line.holds).toBeLessThan(fails);
      expect(line.fails).toBeGreaterThanOrEqual(fails);
      expect(line.fails - line.holds).toBeLessThanOrEqual(widest);
    }
  });
});

describe('the next step of a search', () => {
  const stage = (
    load: number,
    verdict: StageVerdict,
    purpose: SearchedStage['purpose'] = 'bracket',
  ): SearchedStage => ({
    purpose,
    load: { kind: 'rate', requestsPerSecond: load, arrival: 'poisson' },
    verdict,
    completedPerSecond: 0,
    evidence: NO_EVIDENCE,
  });
  const closed = (concurrency: number, completedPerSecond: number): SearchedStage => ({
    purpose: concurrency === 1 ? 'alone' : 'estimate',
    load: { kind: 'concurrency', concurrency },
    verdict: 'held',
    completedPerSecond,
    evidence: NO_EVIDENCE,
  });
  const before = [closed(1, 10), closed(4, 11)];
  const next = (...stages: SearchedStage[]) => {
    const step = nextStep([...before, ...stages], SEARCH, 600_000);
    return step?.load.kind === 'rate'
      ? { purpose: step.purpose, load: Number(step.load.requestsPerSecond.toFixed(2)) }
      : step;
  };

  test('begins below the capacity of closed loops, goes up from what holds and down from what does not', () => {
    expect(next()).toEqual({ purpose: 'bracket', load: 7.7 });
    expect(next(stage(7.7, 'held'))).toEqual({ purpose: 'bracket', load: 13.09 });
    expect(next(stage(7.7, 'missed'))).toEqual({ purpose: 'bracket', load: 3.85 });
  });

  test('asks one request at a time no more than whether there is anything to find', () => {
    const begin = nextStep([], SEARCH, 600_000);
    expect(begin).toMatchObject({ purpose: 'alone', count: 60 });
    const close: SearchedStage = {
      ...closed(1, 10),
      verdict: 'undecided',
      evidence: {
        excess: { value: -0.1, standardError: 0.4, spread: 4 },
        issued: 60,
      },
    };
    expect(nextStep([close], SEARCH, 600_000)).toMatchObject({ purpose: 'alone', count: undefined });
    expect(nextStep([close, { ...close, verdict: 'missed' }], SEARCH, 600_000)).toBeUndefined();
    expect(nextStep([close, close], SEARCH, 600_000)).toMatchObject({ purpose: 'estimate' });
  });

  test('goes as near to the probable line as the time left decides, and no nearer', () => {
    const seen = (load: number, verdict: StageVerdict, value: number): SearchedStage => ({
      ...stage(load, verdict),
      evidence: {
        excess: { value, standardError: 0.2, spread: 20 },
        issued: 2_000,
      },
    });
    const stages = [...before, seen(40, 'held', -1.5), seen(55, 'missed', 1.5)];
    const loadWith = (leftMs: number): number => {
      const step = nextStep(stages, SEARCH, leftMs);
      expect(step?.purpose).toBe('bisect');
      return step?.load.kind === 'rate' ? step.load.requestsPerSecond : Number.NaN;
    };
    // The line is probably near √(40 × 55) ≈ 47.
    expect(Math.abs(Math.log(loadWith(10_000_000) / 46.9))).toBeLessThan(0.06);
    expect(Math.abs(Math.log(loadWith(1_500_000) / 46.9))).toBeGreaterThan(0.06);
    // Too little for anything inside: the ends are measured again.
    expect(nextStep(stages, SEARCH, 60_000)).toMatchObject({ purpose: 'confirm' });
  });

  test('tries no load that sends too few requests in the time that is left to decide anything', () => {
    const stages = [...before, stage(2, 'over-capacity'), stage(1, 'undecided')];
    expect(nextStep(stages, SEARCH, 600_000)).toMatchObject({ purpose: 'bracket' });
    expect(nextStep(stages, SEARCH, 60_000)).toMatchObject({ purpose: 'confirm' });
  });

  test('halves the bracket by ratios, and next to a load that decided nothing the wider of its gaps', () => {
    const ends = [stage(4, 'held'), stage(16, 'over-capacity')];
    expect(next(...ends)).toEqual({ purpose: 'bisect', load: 8 });
    expect(next(...ends, stage(8, 'undecided'))).toEqual({ purpose: 'bisect', load: 5.66 });
  });

  test('measures both ends again, first the one that was found first', () => {
    const ends = [stage(10.4, 'over-capacity'), stage(10, 'held')];
    expect(next(...ends)).toEqual({ purpose: 'confirm', load: 10.4 });
    expect(next(...ends, stage(10.4, 'missed'))).toEqual({ purpose: 'confirm', load: 10 });
    expect(next(...ends, stage(10.4, 'missed'), stage(10, 'held'))).toBeUndefined();
  });

  test('widens the bracket and goes on where the second measurement of an end disagrees', () => {
    const stages = [
      stage(8, 'held'),
      stage(10, 'held'),
      stage(10.4, 'missed'),
      stage(10, 'missed', 'confirm'),
    ];
    expect(next(...stages)).toEqual({ purpose: 'bisect', load: 8.94 });
    expect(foundLine([...before, ...stages], SEARCH, undefined)).toMatchObject({ holds: 8, fails: 10.4 });
  });

  test('ends when the time is over, when a person stops it, and when nobody answers twice', () => {
    expect(nextStep(before, SEARCH, 900)).toBeUndefined();
    expect(next(stage(8, 'stopped'))).toBeUndefined();
    expect(next(stage(8, 'broken'), stage(4, 'broken'))).toBeUndefined();
  });
});

describe('the line that was found', () => {
  const at = (load: number, verdict: StageVerdict): SearchedStage => ({
    purpose: 'bracket',
    load: { kind: 'rate', requestsPerSecond: load, arrival: 'poisson' },
    verdict,
    completedPerSecond: 0,
    evidence: NO_EVIDENCE,
  });
  const reported = (stages: readonly SearchedStage[], end?: 'budget' | 'stopped') => {
    const line = foundLine(stages, SEARCH, end);
    return lineSentence(line, { by: 'rate', objectives: ['TTFT p95 ≤ 500 ms'], change: undefined });
  };

  test('is reported in one sentence', () => {
    const both = [at(11.6, 'held'), at(12.2, 'over-capacity'), at(12.2, 'over-capacity'), at(11.6, 'held')];
    expect(reported(both)).toBe(
      'carries 11.6 to 12.2 requests/s at TTFT p95 ≤ 500 ms; above that the queue grows',
    );
    expect(reported([at(8, 'held')], 'budget')).toBe(
      'carries at least 8.00 requests/s at TTFT p95 ≤ 500 ms; the time was over before a load failed',
    );
    expect(reported([at(8, 'missed')], 'stopped')).toBe(
      'carries less than 8.00 requests/s at TTFT p95 ≤ 500 ms, where an objective is missed; it was stopped before a load held',
    );
    expect(reported([])).toBe('nothing is known: no stage has ended');
  });

  test('reports that this client was the limit where it was, below a load that fails', () => {
    expect(reported([at(8, 'client-bound'), at(12, 'over-capacity')])).toBe(
      'carries less than 12.0 requests/s at TTFT p95 ≤ 500 ms, where the queue grows; below that this client was the limit',
    );
  });

  test('is "at least" where this client was the limit of the load above', () => {
    expect(foundLine([at(8, 'held'), at(12, 'client-bound')], SEARCH, undefined)).toEqual({
      kind: 'at-least',
      holds: 8,
      limit: 'client',
    });
  });
});

const FOUR = {
  model: { servers: 4, serviceNs: 25e6, serviceVariation: 0 },
  objective: { limitNs: 80e6, share: 0.05 },
} as const;

const with_ = (behaviour: Behaviour) => ({ ...FOUR, behaviour });
