// What a program requests of the cluster for a model whose facts it has (`model` in `plimsoll headroom
// --json`).

import * as v from 'valibot';
import { headroomQuestionSchema } from '../../core/model/headroom-devices.ts';
import { type ModelFacts, modelFactsSchema } from '../../core/model/model-facts.ts';
import { nodeIdSchema } from '../../core/schema.ts';

/** As `model` in `plimsoll headroom --json`. */
export const sentModelSchema: v.GenericSchema<ModelFacts> = v.custom<ModelFacts>(
  value => v.is(modelFactsSchema, value),
  'not the facts of a model',
);

export const headroomRequestSchema = v.object({
  model: sentModelSchema,
  question: headroomQuestionSchema,
  /** Only these nodes; default: all that are not offline. */
  nodes: v.optional(v.pipe(v.array(nodeIdSchema), v.maxLength(1_024))),
});
