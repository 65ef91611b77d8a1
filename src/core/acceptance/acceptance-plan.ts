// What a person expects of the cluster: its nodes, limits of their own, and checks that do not apply. Its keys are those of the
// table of checks.

import * as v from 'valibot';
import { figure, type Infer, shortText } from '../schema.ts';

const NODES_MAX = 64;
const NAME_LENGTH_MAX = 64;

export const acceptancePlanSchema = v.strictObject({
  /** By name or id: each must be there, and no others are judged. */
  nodes: v.exactOptional(v.pipe(v.array(shortText), v.minLength(1), v.maxLength(NODES_MAX))),
  /** By the name of a check, in its unit: they replace every other limit. */
  limits: v.exactOptional(v.record(v.pipe(v.string(), v.maxLength(NAME_LENGTH_MAX)), figure)),
  /** Names of checks that are not judged. */
  skip: v.exactOptional(v.pipe(v.array(shortText), v.maxLength(NODES_MAX))),
});

export type AcceptancePlan = Infer<typeof acceptancePlanSchema>;
