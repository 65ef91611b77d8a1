// Sweeps and load lines in the HTTP API: responses under /api/sweeps.

import * as v from 'valibot';
import { figure, type Infer, nodeIdSchema, sweepIdSchema, unknownSchema } from '../../core/schema.ts';
import { stageSchema } from '../../core/sweep/stage.ts';
import { sweepFindings, sweepSchema } from '../../core/sweep/sweep.ts';
import {
  lineDocumentSchema,
  lineProgressSchema,
  STAGES_MAX,
  sweepDocumentSchema,
} from '../../core/sweep/sweep-document.ts';

export const listedSweepSchema = v.object({
  node: v.pipe(nodeIdSchema, v.description('The node that ran it.')),
  sweep: sweepSchema,
  ...sweepFindings,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  reason: v.pipe(v.string(), v.description('The reason for the state; empty if there is none.')),
  isLive: v.boolean(),
  silentMs: v.pipe(
    figure,
    v.description('Time since the last report of one in progress; 0 if it has ended.'),
  ),
  progress: v.union([unknownSchema, lineProgressSchema]),
});

/** A sweep or line as it is listed. */
export type ListedSweep = Infer<typeof listedSweepSchema>;

export const sweepsAnswerSchema = v.object({ sweeps: v.array(listedSweepSchema) });

export const sweepAnswerSchema = v.object({
  sweep: listedSweepSchema,
  /** sweep.json or line.json, once it has ended. */
  document: v.pipe(
    v.nullable(v.union([lineDocumentSchema, sweepDocumentSchema])),
    v.description('null while it is in progress, and if its files are not on the answering node.'),
  ),
  /** The complete stages so far, while it runs. */
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_MAX)),
  /** What is missing, and why; '' if nothing is. */
  notice: v.pipe(v.string(), v.description('What is missing; empty if nothing is.')),
});

export const sweepStopAnswerSchema = v.object({
  sweepId: sweepIdSchema,
});
