// Sweeps and lines as sent between processes, apart from their document: in events, and in what a benchmark
// reports to the daemon of its machine.

import * as v from 'valibot';
import type { Stage } from '../core/sweep/stage.ts';
import {
  STAGES_REPORTED_MAX,
  type StageDigest,
  type Sweep,
  type SweepFindings,
  type SweepProgress,
} from '../core/sweep/sweep.ts';
import {
  OBJECTIVES_REPORTED_MAX,
  type SweepHeadDigest,
  TAGS_REPORTED_MAX,
} from '../core/sweep/sweep-digest.ts';
import type { LoadLine } from '../core/sweep/sweep-document.ts';
import {
  count,
  figure,
  isoTime,
  nodeIdSchema,
  openObject,
  reported,
  runIdSchema,
  type Schema,
  share,
  sweepIdSchema,
  text,
} from './schema.ts';
import {
  estimateSchema,
  lineProgressSchema,
  loadLineSchema,
  stageCurveSchema,
  stageFieldSchemas,
  stageLoadSchema,
  stageSchema,
} from './sweep-schema.ts';

/** What a benchmark reports of a sweep when it starts. */
export type SweepStart = SweepHeadDigest & Pick<Sweep, 'sweepId'>;
/** Complete stages, only those that have changed since the last report. */
export interface SweepUpdate extends Omit<SweepProgress, 'stages'> {
  readonly stages: readonly Stage[];
}
/** What is known when it has ended; its stages were reported before. */
export type SweepEnd = Pick<Sweep, 'sweepId' | 'state' | 'reason' | 'line' | 'sentence' | 'model'>;

/** Limit per message: more stages are sent in several. */
export const STAGES_REPORTED_AT_ONCE_MAX = 16;

const shortText: Schema<string> = v.pipe(v.string(), v.maxLength(300));

const stageDigest: Schema<StageDigest> = openObject({
  number: v.pipe(count, v.minValue(1)),
  load: stageLoadSchema,
  purpose: stageFieldSchemas.purpose,
  runId: runIdSchema,
  state: stageFieldSchemas.state,
  verdict: reported(stageFieldSchemas.verdict),
  reason: shortText,
  issued: count,
  elapsedMs: v.pipe(figure, v.minValue(0)),
  completedPerSecond: reported(figure),
  outputTokensPerSecond: reported(figure),
  perUserTokensPerSecond: reported(figure),
  attainment: reported(estimateSchema),
  curve: reported(stageCurveSchema),
  inFlightGrowthPerMinute: reported(figure),
});

const outcome: {
  readonly line: Schema<LoadLine>;
  readonly sentence: Schema<string>;
} = { line: loadLineSchema, sentence: text };

export const sweepProgressParts: { readonly [K in keyof SweepFindings]: Schema<SweepFindings[K]> } = {
  ...outcome,
  stages: v.pipe(v.array(stageDigest), v.maxLength(STAGES_REPORTED_MAX)),
};

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

const progress = reported(lineProgressSchema);

export const sweepProgressSchema: Schema<SweepProgress> = openObject({
  sweepId: sweepIdSchema,
  ...sweepProgressParts,
  progress,
});

export const sweepUpdateSchema: Schema<SweepUpdate> = openObject({
  sweepId: sweepIdSchema,
  ...outcome,
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_REPORTED_AT_ONCE_MAX)),
  progress,
});

export const sweepEndSchema: Schema<SweepEnd> = openObject({
  sweepId: sweepIdSchema,
  model: start.model,
  ...end,
  ...outcome,
});
