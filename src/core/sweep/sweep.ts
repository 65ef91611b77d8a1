// Sweeps and load lines as the cluster sees them: what was requested, what is known so far while it runs, and
// a digest of its stages. The whole document, with every stage over time, stays in the directory of the node
// that ran it.

import * as v from 'valibot';
import {
  count,
  figure,
  type Infer,
  isoTime,
  nodeIdSchema,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  share,
  shortText,
  sweepIdSchema,
  text,
} from '../schema.ts';
import {
  concurrencyOfSchema,
  estimateSchema,
  stageCurveSchema,
  stageFieldSchemas,
  stageLoadSchema,
  stageSchema,
} from './stage.ts';
import { lineProgressSchema, loadLineSchema } from './sweep-document.ts';

export const stageDigestSchema = openObject({
  number: v.pipe(count, v.minValue(1)),
  load: stageLoadSchema,
  purpose: stageFieldSchemas.purpose,
  runId: runIdSchema,
  state: stageFieldSchemas.state,
  verdict: reported(stageFieldSchemas.verdict),
  /** The sentence that decided; '' before there is one. */
  reason: shortText,
  issued: count,
  elapsedMs: nonNegative,
  completedPerSecond: reported(figure),
  outputTokensPerSecond: reported(figure),
  perUserTokensPerSecond: reported(figure),
  attainment: reported(estimateSchema),
  curve: reported(stageCurveSchema),
  inFlightGrowthPerMinute: reported(figure),
});

/** A stage without its timeline: what a list, or a page on another machine, draws. */
export type StageDigest = Infer<typeof stageDigestSchema>;

/** Limit per sweep, so that its newest report fits into one live event. */
export const STAGES_REPORTED_MAX = 48;
/** Limit per message: more stages are sent in several. */
export const STAGES_REPORTED_AT_ONCE_MAX = 16;
export const OBJECTIVES_REPORTED_MAX = 16;
export const TAGS_REPORTED_MAX = 16;

const start = {
  sweepId: sweepIdSchema,
  /** 'line': the loads were searched; 'sweep': a person named them. */
  form: v.picklist(['sweep', 'line']),
  /** ISO 8601 of the machine that runs it; for display, and for the order. */
  startedAt: isoTime,
  name: reported(shortText),
  /** "gpu=h200". */
  tags: v.pipe(v.array(shortText), v.maxLength(TAGS_REPORTED_MAX)),
  /** Scheme, host, port and path; never credentials. */
  target: text,
  serverKind: reported(shortText),
  model: reported(shortText),
  dataset: text,
  /** As they were written: `ttft.p95=500ms`. */
  objectives: v.pipe(v.array(shortText), v.maxLength(OBJECTIVES_REPORTED_MAX)),
  /** The share of issued requests that must meet the objectives of a single request. */
  attainment: share,
  by: v.picklist(['rate', 'concurrency']),
  concurrencyOf: concurrencyOfSchema,
  /** Requested width of the bracket as a share of the load; only for a line. */
  resolution: reported(share),
  confidence: reported(share),
  /** Command that repeats it, without secrets. */
  command: text,
  /** Where the document and the stages are stored, on the machine of the entry's origin. */
  directory: text,
};

const end = {
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  /**
   * Why the state is not 'complete', or why it ended before the last load; '' if there is no reason to show.
   */
  reason: text,
};

const outcome = {
  /** For a sweep of given loads it stays unknown: there was no search. */
  line: loadLineSchema,
  /** One sentence for a person; '' before there is one. */
  sentence: text,
};

/** What is known of a sweep at one moment, or at its end. */
export const sweepFindings = {
  ...outcome,
  /** In the order they ran; if there are more than STAGES_REPORTED_MAX, the newest. */
  stages: v.pipe(v.array(stageDigestSchema), v.maxLength(STAGES_REPORTED_MAX)),
};

export const sweepSchema = openObject({
  ...start,
  /** Known if the target is a node's own address. */
  targetNode: reported(nodeIdSchema),
  ...end,
  ...sweepFindings,
});

export type Sweep = Infer<typeof sweepSchema>;

export type SweepFindings = Pick<Sweep, keyof typeof sweepFindings>;

export type SweepState = Sweep['state'];

const progress = reported(lineProgressSchema);

export const sweepProgressSchema = openObject({ sweepId: sweepIdSchema, ...sweepFindings, progress });

/** What is published while it runs. */
export type SweepProgress = Infer<typeof sweepProgressSchema>;

export const sweepStartSchema = openObject(start);

/** What a benchmark reports of a sweep when it starts. */
export type SweepStart = Infer<typeof sweepStartSchema>;

export const sweepUpdateSchema = openObject({
  sweepId: sweepIdSchema,
  ...outcome,
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_REPORTED_AT_ONCE_MAX)),
  progress,
});

/** Complete stages, only those that have changed since the last report. */
export type SweepUpdate = Infer<typeof sweepUpdateSchema>;

export const sweepEndSchema = openObject({ sweepId: sweepIdSchema, model: start.model, ...end, ...outcome });

/** What is known when it has ended; its stages were reported before. */
export type SweepEnd = Infer<typeof sweepEndSchema>;

export const sweepStageSchema = openObject({
  sweepId: sweepIdSchema,
  /** The number of the stage, from 1. */
  stage: count,
});

/** The sweep of which a run is a stage. */
export type SweepStageRef = Infer<typeof sweepStageSchema>;
