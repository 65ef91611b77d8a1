// How far each of several objectives is met: the highest load that met it below the first that missed it.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import type { StageLoad } from '../../core/sweep/stage.ts';
import { loadOn, type PicturedStage } from './pictured-stage.ts';

export interface ObjectiveReach {
  /** As it was written. */
  readonly objective: string;
  /** Undefined if no load met it. */
  readonly met: number | undefined;
  /** The lowest load that missed it; undefined if none did. */
  readonly missed: number | undefined;
}

/** In the given order; none if the complete stages are not known. */
export const objectiveReaches = (
  stages: readonly PicturedStage[],
  by: StageLoad['kind'],
): readonly ObjectiveReach[] => {
  const answers = stages.flatMap(stage => {
    const load = loadOn(stage, by);
    return load === undefined || stage.standing === 'client-bound'
      ? []
      : stage.objectives.map(({ objective, answer }) => ({ objective, answer, load }));
  });
  const loadsOf = (objective: string, answer: 'met' | 'missed'): readonly number[] =>
    answers.flatMap(one => (one.objective === objective && one.answer === answer ? [one.load] : []));
  return [...new Set(answers.map(({ objective }) => objective))].map(objective => {
    const missed = loadsOf(objective, 'missed');
    const lowest = missed.length === 0 ? undefined : minimumOf(missed);
    const met = loadsOf(objective, 'met').filter(load => lowest === undefined || load < lowest);
    return { objective, met: met.length === 0 ? undefined : maximumOf(met), missed: lowest };
  });
};
