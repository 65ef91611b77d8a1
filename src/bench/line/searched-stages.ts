// The stages of a search as its file has them, for the search's own objectives and for each further tier of objectives: one
// search has a result for each tier, and a stage counts for each tier that it decided. Pure.

import type { Stage, StageFigures } from '../../core/sweep/stage.ts';
import { isUnknown, knownOr, type Reported } from '../../core/unknown.ts';
import {
  nextStep,
  type SearchedStage,
  type SearchOptions,
  type SearchStep,
  trialsOf,
} from './line-search.ts';

/** What of a stage counts. */
export interface CountedStage
  extends Pick<Stage, 'purpose' | 'load' | 'verdict' | 'evidence' | 'tier' | 'tiers'> {
  readonly figures: Reported<Pick<StageFigures, 'completedPerSecond'>>;
}

/** Those that have ended and count for a tier. @param tier undefined: the search's own objectives */
export const searchedStages = (
  stages: readonly CountedStage[],
  tier: string | undefined,
): readonly SearchedStage[] =>
  stages.flatMap(stage => {
    const { evidence, verdict } =
      tier === undefined ? stage : (stage.tiers?.find(({ name }) => name === tier) ?? UNJUDGED);
    if (evidence === undefined) return [];
    const { purpose, load, figures } = stage;
    const reached = isUnknown(verdict) ? 'broken' : verdict;
    // A stage for another tier ends when that one is decided, and a second measurement is decided with less certainty.
    const isOwn = stage.tier === tier || purpose === 'alone' || purpose === 'estimate';
    if (!isOwn && (purpose === 'confirm' || reached === 'undecided')) return [];
    const completedPerSecond = isUnknown(figures) ? 0 : knownOr(figures.completedPerSecond, 0);
    return [{ purpose, load, verdict: reached, completedPerSecond, evidence }];
  });

const UNJUDGED: Pick<Stage, 'evidence' | 'verdict'> = { verdict: 'undecided' };

export interface TierStep {
  /** undefined: the search's own objectives. */
  readonly tier: string | undefined;
  readonly step: SearchStep;
}

/**
 * For the tier whose ends are farthest apart, with an equal part of the time for each tier that is not complete.
 * @returns undefined: all are complete
 */
export const nextTierStep = (
  stages: readonly CountedStage[],
  tiers: readonly (string | undefined)[],
  options: SearchOptions,
  leftMs: number,
): TierStep | undefined => {
  const open = tiers.flatMap(tier => {
    const own = searchedStages(stages, tier);
    const step = nextStep(own, options, leftMs);
    return step === undefined ? [] : [{ tier, own, step, width: widthOf(own, options) }];
  });
  const widest = open.reduce<(typeof open)[number] | undefined>(
    (found, each) => (found === undefined || each.width > found.width ? each : found),
    undefined,
  );
  if (widest === undefined) return undefined;
  const { tier, own, step } = widest;
  return { tier, step: nextStep(own, options, leftMs / open.length) ?? step };
};

const widthOf = (stages: readonly SearchedStage[], options: SearchOptions): number => {
  const { holds, fails } = trialsOf(stages, options);
  return holds === undefined || fails === undefined ? Number.POSITIVE_INFINITY : fails.load / holds.load;
};
