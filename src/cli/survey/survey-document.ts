// What `plimsoll survey --json` prints: how each machine and link was read, and the cluster as `status --json` shows one.

import * as v from 'valibot';
import { type Infer, nodeIdSchema } from '../../core/schema.ts';
import { statusDocumentSchema } from '../../wire/api/status-document.ts';

export const SURVEY_SCHEMA = 'plimsoll.survey/1';

const machineSchema = v.object({
  target: v.pipe(v.string(), v.description('As it was named to ssh.')),
  nodeId: v.pipe(v.nullable(nodeIdSchema), v.description('Of this survey alone. Null: not read.')),
  problem: v.pipe(v.nullable(v.string()), v.description('Why it was not read, or not to the end.')),
  advice: v.nullable(v.string()),
});

const linkSchema = v.object({
  nodes: v.tuple([nodeIdSchema, nodeIdSchema]),
  reason: v.pipe(v.nullable(v.string()), v.description('Why it was not measured. Null: it was.')),
});

export const surveyDocumentSchema = v.object({
  schema: v.literal(SURVEY_SCHEMA),
  machines: v.array(machineSchema),
  links: v.array(linkSchema),
  cluster: v.pipe(
    v.nullable(statusDocumentSchema),
    v.description('The surveyed machines as nodes. Null: none was read.'),
  ),
});

export type SurveyedMachine = Infer<typeof machineSchema>;
export type SurveyedLink = Infer<typeof linkSchema>;
