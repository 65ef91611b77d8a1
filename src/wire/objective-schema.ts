// Objectives and the verdicts on them, as they are sent and stored.

import * as v from 'valibot';
import { type ObjectiveAnswer, objectiveAnswerSchema } from '../core/run/judge-objective.ts';
import {
  type ObjectiveFields,
  objectiveNameSchema,
  type RequestLimit,
  runObjectiveSchema,
} from '../core/run/objective.ts';
import { nonNegative, openObject, reported, type Schema, share } from '../core/schema.ts';

/** Limit per run. */
export const OBJECTIVES_MAX = 16;

const requestLimits: Schema<readonly RequestLimit[]> = v.pipe(
  v.array(openObject({ name: objectiveNameSchema, limitNs: nonNegative })),
  v.maxLength(OBJECTIVES_MAX),
);

export const objectiveEntries: {
  readonly objectives: Schema<ObjectiveFields['objectives']>;
  readonly runObjectives: Schema<ObjectiveFields['runObjectives']>;
  readonly attainment: Schema<ObjectiveFields['attainment']>;
} = {
  objectives: requestLimits,
  runObjectives: reported(v.pipe(v.array(runObjectiveSchema), v.maxLength(OBJECTIVES_MAX))),
  attainment: reported(share),
};

/** One for the limits of a request together, and one for each objective of the run. */
export const objectiveAnswers: Schema<readonly ObjectiveAnswer[]> = v.pipe(
  v.array(objectiveAnswerSchema),
  v.maxLength(OBJECTIVES_MAX + 1),
);
