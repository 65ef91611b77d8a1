// Several tiers of objectives in one search: which stages count for which tier, and that each tier finds its own line.

import { describe, expect, test } from 'vitest';
import { foundLine } from '../../../src/bench/line/found-line.ts';
import { evidenceOf, NO_EVIDENCE } from '../../../src/bench/line/line-estimate.ts';
import { capacityEstimate, idleLatencyNs, type SearchOptions } from '../../../src/bench/line/line-search.ts';
import { type CountedStage, nextTierStep, searchedStages } from '../../../src/bench/line/searched-stages.ts';
import { stageConfidence } from '../../../src/core/sweep/stage.ts';
import { longCount } from '../../support/counts.ts';
import { trueLine } from '../../support/line-cells.ts';
import { type SimulatedObjective, simulateLine, simulateStage } from '../../support/simulated-line.ts';

const SEARCH: SearchOptions = {
  by: 'rate',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 100_000,
};
const MODEL = { servers: 4, serviceNs: 25e6, serviceVariation: 0 };
const SILVER: SimulatedObjective = { limitNs: 80e6, share: 0.05 };
const GOLD: SimulatedObjective = { limitNs: 40e6, share: 0.05 };
const BUDGET_MS = 600_000;

const stage = (more: Partial<CountedStage>): CountedStage => ({
  purpose: 'bracket',
  load: { kind: 'rate', requestsPerSecond: 10, arrival: 'poisson' },
  verdict: 'held',
  figures: { completedPerSecond: 10 },
  evidence: NO_EVIDENCE,
  ...more,
});

const gold = (verdict: 'held' | 'missed' | 'undecided') => ({
  tiers: [{ name: 'gold', verdict, evidence: NO_EVIDENCE }],
});

const countedFor = (tier: string | undefined, ...stages: readonly CountedStage[]) =>
  searchedStages(stages, tier).map(({ verdict }) => verdict);

/** A whole search by both objectives on the virtual clock. */
const bothTiers = (seed: number) => {
  const names = [undefined, 'gold'];
  const stages: CountedStage[] = [];
  let elapsedNs = 0;
  for (;;) {
    const next = nextTierStep(stages, names, SEARCH, BUDGET_MS - elapsedNs / 1e6);
    if (next === undefined) break;
    const { tier, step } = next;
    const searched = searchedStages(stages, tier);
    const idleNs = idleLatencyNs(searched);
    const simulated = simulateStage({ model: MODEL, objective: SILVER }, step.load, {
      seed: seed * 1_000 + stages.length,
      durationNs: step.durationMs * 1e6,
      count: step.count,
      more: [GOLD],
      decides: names.indexOf(tier),
      confidence: stageConfidence(step.purpose, 0.95),
      ...(idleNs === undefined
        ? {}
        : { idleLatencyNs: idleNs, capacityPerSecond: capacityEstimate(searched) }),
    });
    elapsedNs += simulated.elapsedNs;
    const [own, other] = simulated.looks;
    if (own === undefined || other === undefined) throw new Error('a tier was not judged');
    stages.push({
      purpose: step.purpose,
      load: step.load,
      verdict: own.verdict,
      figures: { completedPerSecond: simulated.completedPerSecond },
      evidence: evidenceOf(own),
      tiers: [{ name: 'gold', verdict: other.verdict, evidence: evidenceOf(other) }],
      ...(tier === undefined ? {} : { tier }),
    });
  }
  const lineOf = (tier: string | undefined) => foundLine(searchedStages(stages, tier), SEARCH, undefined);
  return { silver: lineOf(undefined), gold: lineOf('gold'), elapsedNs, stages };
};

describe('a stage of a search with tiers', () => {
  test('counts for each tier that it decided', () => {
    expect(countedFor('gold', stage(gold('missed')))).toEqual(['missed']);
    expect(countedFor(undefined, stage({ ...gold('missed'), tier: 'gold' }))).toEqual(['held']);
  });

  test('counts for no other tier if it ended undecided, or as a second measurement', () => {
    expect(
      countedFor('gold', stage(gold('undecided')), stage({ ...gold('held'), purpose: 'confirm' })),
    ).toEqual([]);
    expect(countedFor(undefined, stage({ ...gold('held'), tier: 'gold', verdict: 'undecided' }))).toEqual([]);
    expect(countedFor('gold', stage({ ...gold('undecided'), tier: 'gold' }))).toEqual(['undecided']);
  });

  test('with one request at a time counts for all, decided or not', () => {
    expect(countedFor('gold', stage({ ...gold('undecided'), purpose: 'alone' }))).toEqual(['undecided']);
  });

  test('that is running, or was not judged by the tier, counts for none', () => {
    const { evidence: _none, ...running } = stage({});
    expect(countedFor(undefined, running)).toEqual([]);
    expect(countedFor('gold', stage({}))).toEqual([]);
  });
});

describe('a search by two tiers', { timeout: 120_000 }, () => {
  const arrivals = longCount(200_000, 4_000_000);
  const truth = {
    silver: trueLine({ model: MODEL, objective: SILVER }, arrivals),
    gold: trueLine({ model: MODEL, objective: GOLD }, arrivals),
  };

  test('finds a bracket for each, which contains its line, in the budget of one', () => {
    for (let seed = 1; seed <= longCount(1, 20); seed += 1) {
      const found = bothTiers(seed);
      for (const tier of ['silver', 'gold'] as const) {
        const line = found[tier];
        expect(line, tier).toMatchObject({ kind: 'bracket' });
        if (line.kind !== 'bracket') return;
        expect(line.holds, tier).toBeLessThanOrEqual(1.01 * truth[tier]);
        expect(line.fails, tier).toBeGreaterThanOrEqual(0.99 * truth[tier]);
      }
      expect(found.elapsedNs / 1e6).toBeLessThanOrEqual(1.05 * BUDGET_MS);
    }
  });

  test('with one tier alone is the search of that tier', () => {
    const { stages, line } = simulateLine(
      { model: MODEL, objective: SILVER },
      { ...SEARCH, budgetMs: 120_000, seed: 1 },
    );
    const counted = stages.map(({ completedPerSecond, ...each }) =>
      stage({ ...each, figures: { completedPerSecond } }),
    );
    expect(foundLine(searchedStages(counted, undefined), SEARCH, undefined)).toEqual(line);
  });
});
