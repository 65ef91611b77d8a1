// What a program requests of the cluster for a model whose facts it has (`model` in `plimsoll headroom
// --json`).

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { HeadroomQuestion } from '../../core/model/headroom-devices.ts';
import type { ModelFacts } from '../../core/model/model-facts.ts';
import { modelFactsSchema } from '../model-schema.ts';
import { nodeIdSchema } from '../schema.ts';

/** As `model` in `plimsoll headroom --json`. */
export const sentModelSchema: v.GenericSchema<ModelFacts> = v.custom<ModelFacts>(
  value => v.is(modelFactsSchema, value),
  'not the facts of a model',
);

interface HeadroomRequest {
  readonly model: ModelFacts;
  readonly question: HeadroomQuestion;
  /** Only these nodes; default: all that are not offline. */
  readonly nodes?: readonly NodeId[] | undefined;
}

const upTo = (most: number): v.GenericSchema<number> =>
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most));

export const headroomQuestionSchema: v.GenericSchema<unknown, HeadroomQuestion> = v.object({
  engine: v.optional(v.picklist(['llama.cpp', 'mlx', 'vllm', 'sglang', 'other']), 'other'),
  contextTokens: v.optional(upTo(100_000_000), 4_096),
  outputTokens: v.optional(upTo(100_000_000), 256),
  batch: v.optional(upTo(100_000), 1),
  cacheType: v.optional(v.picklist(['f16', 'bf16', 'f32', 'fp8', 'q8_0', 'q4_0']), 'f16'),
});

export const headroomRequestSchema: v.GenericSchema<unknown, HeadroomRequest> = v.object({
  model: sentModelSchema,
  question: headroomQuestionSchema,
  nodes: v.optional(v.pipe(v.array(nodeIdSchema), v.maxLength(1_024))),
});
