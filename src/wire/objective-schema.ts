// Objectives and the verdicts on them, as they are sent and stored.

import * as v from 'valibot';
import type { ObjectiveAnswer, ObjectiveEstimate } from '../core/run/judge-objective.ts';
import {
  OBJECTIVE_NAMES,
  type ObjectiveFields,
  type RequestLimit,
  type RunObjective,
} from '../core/run/objective.ts';
import { count, figure, openObject, reported, type Schema, share, text } from './schema.ts';

/** Limit per run. */
export const OBJECTIVES_MAX = 16;

const limitNs: Schema<number> = v.pipe(figure, v.minValue(0));
const name = v.picklist(OBJECTIVE_NAMES);

const requestLimits: Schema<readonly RequestLimit[]> = v.pipe(
  v.array(openObject({ name, limitNs })),
  v.maxLength(OBJECTIVES_MAX),
);

const runObjective: Schema<RunObjective> = v.variant('kind', [
  openObject({
    kind: v.literal('percentile'),
    name,
    percentile: v.pipe(figure, v.minValue(0), v.maxValue(100)),
    limitNs,
  }),
  openObject({ kind: v.literal('mean'), name, limitNs }),
  openObject({ kind: v.literal('error-rate'), limitShare: share }),
]);

export const objectiveEntries: {
  readonly objectives: Schema<ObjectiveFields['objectives']>;
  readonly runObjectives: Schema<ObjectiveFields['runObjectives']>;
  readonly attainment: Schema<ObjectiveFields['attainment']>;
} = {
  objectives: requestLimits,
  runObjectives: reported(v.pipe(v.array(runObjective), v.maxLength(OBJECTIVES_MAX))),
  attainment: reported(share),
};

const estimate: Schema<ObjectiveEstimate> = openObject({
  value: v.nullable(figure),
  low: figure,
  high: v.nullable(figure),
});

export const objectiveAnswer: Schema<ObjectiveAnswer> = openObject({
  objective: text,
  limit: figure,
  unit: v.picklist(['ns', 'share']),
  estimate: reported(estimate),
  answer: v.picklist(['met', 'missed', 'too-few-samples']),
  samplesNeeded: reported(count),
});

/** One for the limits of a request together, and one for each objective of the run. */
export const objectiveAnswers: Schema<readonly ObjectiveAnswer[]> = v.pipe(
  v.array(objectiveAnswer),
  v.maxLength(OBJECTIVES_MAX + 1),
);
