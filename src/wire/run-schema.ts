// Runs as sent between processes: in events, and in what a benchmark reports to the daemon of its machine.

import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import { foreignMarkSchema } from '../core/run/foreign-run.ts';
import { FAILURE_KINDS, sampleCountsSchema } from '../core/run/outcome.ts';
import { clientFiguresSchema, type Run, type RunFigures, type RunProgress } from '../core/run/run.ts';
import { runPatternSchema } from '../core/run/run-pattern.ts';
import { HEADLINE_RATE_KEYS } from '../core/run/run-rates.ts';
import {
  count,
  figure,
  isoTime,
  nodeIdSchema,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  type Schema,
  shortText,
  sweepIdSchema,
  text,
} from '../core/schema.ts';
import { AGENTS_MAX } from './agent-request.ts';
import { contaminationFindings } from './contamination-schema.ts';
import { errorBoundSchema, rateBoundsSchema, runFailuresSchema } from './failure-schema.ts';
import { liveAgentsSchema } from './live-agent-schema.ts';
import { objectiveAnswers, objectiveEntries } from './objective-schema.ts';
import { runNameSchema, runShapeSchema, tagTextsSchema } from './run-shape.ts';
import { liveSessionsSchema } from './session-schema.ts';

/** What is known of a benchmark when it starts. */
export type RunStart = Omit<Run, 'targetNode' | 'state' | 'reason' | 'figures'>;
/** What is known when it has ended. */
export type RunEnd = Pick<Run, 'runId' | 'state' | 'reason' | 'figures' | 'model' | 'directory'>;

const seriesFigures = openObject({
  count,
  percentiles: v.pipe(
    v.record(v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/)), figure),
    v.maxEntries(32),
  ),
  errorBound: v.exactOptional(errorBoundSchema),
});

export const runFiguresSchema: Schema<RunFigures> = openObject({
  counts: sampleCountsSchema,
  ...recordOf(HEADLINE_RATE_KEYS, () => reported(figure)),
  series: v.pipe(v.record(v.pipe(v.string(), v.regex(/^[a-zA-Z]{1,40}$/)), seriesFigures), v.maxEntries(8)),
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(64)),
  objectives: reported(objectiveAnswers),
  goodput: reported(figure),
  errors: v.pipe(
    v.array(
      openObject({
        kind: v.picklist(FAILURE_KINDS),
        count,
        detail: reported(shortText),
        lastAtMs: reported(figure),
      }),
    ),
    v.maxLength(FAILURE_KINDS.length),
  ),
  failures: reported(runFailuresSchema),
  rateBounds: rateBoundsSchema,
  contamination: reported(contaminationFindings),
  client: clientFiguresSchema,
  droppedEvents: count,
});

const start = {
  runId: runIdSchema,
  startedAt: isoTime,
  target: text,
  serverKind: reported(shortText),
  model: reported(shortText),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  runName: reported(runNameSchema),
  tags: reported(tagTextsSchema),
  dataset: text,
  seed: figure,
  command: reported(text),
  isStreaming: v.boolean(),
  from: v.exactOptional(v.pipe(v.array(shortText), v.maxLength(AGENTS_MAX))),
  foreign: v.exactOptional(foreignMarkSchema),
  limits: openObject({ samplesMax: reported(count), durationMs: reported(nonNegative) }),
  ...objectiveEntries,
  directory: text,
  sweep: reported(openObject({ sweepId: sweepIdSchema, stage: count })),
};

const end = {
  state: v.picklist(['running', 'complete', 'incomplete', 'interrupted', 'failed']),
  reason: text,
  figures: reported(runFiguresSchema),
};

export const runStartSchema: Schema<RunStart> = openObject(start);

export const runEndSchema: Schema<RunEnd> = openObject({
  runId: runIdSchema,
  model: start.model,
  directory: start.directory,
  ...end,
});

export const runSchema: Schema<Run> = openObject({ ...start, targetNode: reported(nodeIdSchema), ...end });

export const runProgressSchema: Schema<RunProgress> = openObject({
  runId: runIdSchema,
  phase: v.picklist(['connecting', 'warmup', 'measuring', 'draining']),
  elapsedMs: nonNegative,
  measuredMs: nonNegative,
  figures: runFiguresSchema,
  recent: openObject({ requestsPerSecond: reported(figure), outputTokensPerSecond: reported(figure) }),
  contentArrived: reported(openObject({ chunks: count, tokensPerChunk: reported(nonNegative) })),
  agents: reported(liveAgentsSchema),
  sessions: v.exactOptional(liveSessionsSchema),
  updatesDropped: count,
});
