// Sweeps and lines as sent between processes, apart from their document: in events, and in what a benchmark
// reports to the daemon of its machine.

import * as v from 'valibot';
import {
  type Infer,
  isoTime,
  nodeIdSchema,
  openObject,
  reported,
  type Schema,
  share,
  shortText,
  sweepIdSchema,
  text,
} from '../core/schema.ts';
import { stageSchema } from '../core/sweep/stage.ts';
import { outcome, progress, type Sweep, sweepProgressParts } from '../core/sweep/sweep.ts';
import {
  OBJECTIVES_REPORTED_MAX,
  type SweepHeadDigest,
  TAGS_REPORTED_MAX,
} from '../core/sweep/sweep-digest.ts';

/** What a benchmark reports of a sweep when it starts. */
export type SweepStart = SweepHeadDigest & Pick<Sweep, 'sweepId'>;

/** What is known when it has ended; its stages were reported before. */
export type SweepEnd = Pick<Sweep, 'sweepId' | 'state' | 'reason' | 'line' | 'sentence' | 'model'>;

/** Limit per message: more stages are sent in several. */
export const STAGES_REPORTED_AT_ONCE_MAX = 16;

const start = {
  sweepId: sweepIdSchema,
  form: v.picklist(['sweep', 'line']),
  startedAt: isoTime,
  name: reported(shortText),
  tags: v.pipe(v.array(shortText), v.maxLength(TAGS_REPORTED_MAX)),
  target: text,
  serverKind: reported(shortText),
  model: reported(shortText),
  dataset: text,
  objectives: v.pipe(v.array(shortText), v.maxLength(OBJECTIVES_REPORTED_MAX)),
  attainment: share,
  by: v.picklist(['rate', 'concurrency']),
  resolution: reported(share),
  confidence: reported(share),
  command: text,
  directory: text,
};

const end = { state: v.picklist(['running', 'complete', 'stopped', 'interrupted']), reason: text };

export const sweepStartSchema: Schema<SweepStart> = openObject(start);

export const sweepSchema: Schema<Sweep> = openObject({
  ...start,
  targetNode: reported(nodeIdSchema),
  ...end,
  ...sweepProgressParts,
});

export const sweepUpdateSchema = openObject({
  sweepId: sweepIdSchema,
  ...outcome,
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_REPORTED_AT_ONCE_MAX)),
  progress,
});

/** Complete stages, only those that have changed since the last report. */
export type SweepUpdate = Infer<typeof sweepUpdateSchema>;

export const sweepEndSchema: Schema<SweepEnd> = openObject({
  sweepId: sweepIdSchema,
  model: start.model,
  ...end,
  ...outcome,
});
