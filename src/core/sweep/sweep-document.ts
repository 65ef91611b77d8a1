// The document of a directory of stages: `sweep.json`, or `line.json` if the loads were searched. Written
// again after each stage, so that a crash loses at most the stage that was running.

import * as v from 'valibot';
import { failedStopSchema } from '../run/failed-stop.ts';
import { environmentSchema } from '../run/report.ts';
import { lineCostSchema } from '../run/run-cost.ts';
import {
  count,
  type Infer,
  longText,
  nonNegative,
  openObject,
  reported,
  runIdText,
  share,
  text,
} from '../schema.ts';
import { concurrencyOfSchema, load, stageLoadSchema, stageSchema, TIERS_MAX, tierName } from './stage.ts';

export const SWEEP_SCHEMA = 'plimsoll.sweep/1';
export const LINE_SCHEMA = 'plimsoll.line/1';
export const STAGES_MAX = 256;

/** As a person wrote them: name to value. */
export const tagsSchema = v.record(v.pipe(v.string(), v.maxLength(64)), text);

const RESUME_ARG_LENGTH_MAX = 8_192;

/** Limit for a stored command line, with which a sweep or a search is continued. */
const RESUME_ARGS_MAX = 1_024;

export const resumeSchema = openObject({
  /** After `plimsoll sweep` or `plimsoll line`. */
  args: v.pipe(v.array(v.pipe(v.string(), v.maxLength(RESUME_ARG_LENGTH_MAX))), v.maxLength(RESUME_ARGS_MAX)),
  /** Where they were typed: relative paths start there. */
  cwd: v.pipe(v.string(), v.maxLength(RESUME_ARG_LENGTH_MAX)),
  /**
   * Options and variables that are not stored, and must be given again: "--header-file", "OPENAI_API_KEY".
   */
  secrets: v.pipe(v.array(text), v.maxLength(32)),
});

/** What is needed to continue it: the command line, without its secrets. */
export type SweepResume = Infer<typeof resumeSchema>;

const head = {
  id: runIdText,
  plimsoll: openObject({ version: text }),
  name: reported(text),
  tags: tagsSchema,
  startedAt: text,
  /** Without secrets. */
  target: text,
  /** Unknown before the first stage has queried the server. */
  model: reported(text),
  serverKind: reported(text),
  dataset: text,
  /** As they were written. */
  objectives: v.pipe(v.array(text), v.maxLength(32)),
  /** The share of issued requests that must meet the objectives of a single request. */
  attainment: share,
  seed: count,
  /** Command that repeats it, without secrets. */
  command: longText,
  resume: reported(resumeSchema),
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_MAX)),
  /** Requests failed until a rule ended a stage, and with it the rest. */
  stopped: v.exactOptional(failedStopSchema),
} as const;

export type SweepHead = Pick<SweepDocument, keyof typeof head>;

export const sweepDocumentSchema = openObject({
  ...head,
  schema: v.literal(SWEEP_SCHEMA),
  requested: v.pipe(v.array(stageLoadSchema), v.maxLength(STAGES_MAX)),
  /** Why it ended before the last load, if it did. */
  endedEarly: v.exactOptional(longText),
});

export type SweepDocument = Infer<typeof sweepDocumentSchema>;

const failsBy = v.picklist(['objective', 'over-capacity']);

export const loadLineSchema = v.variant('kind', [
  openObject({ kind: v.literal('unknown'), reason: text }),
  openObject({
    kind: v.literal('bracket'),
    /** Holds, does not hold. */
    holds: load,
    fails: load,
    failsBy,
    /** Both ends were measured a second time with the same result. */
    isConfirmed: v.boolean(),
  }),
  openObject({
    kind: v.literal('at-least'),
    holds: load,
    limit: v.picklist(['client', 'budget', 'stopped', 'load-max']),
  }),
  openObject({
    kind: v.literal('at-most'),
    fails: load,
    failsBy,
    limit: v.picklist(['undecided', 'client', 'budget', 'stopped']),
  }),
  openObject({ kind: v.literal('none'), fails: load, failsBy }),
]);

/** Loads are requests/s or requests in flight, depending on `by`. */
export type LoadLine = Infer<typeof loadLineSchema>;

export const lineProgressSchema = openObject({
  stagesDone: count,
  stagesExpected: count,
  leftMs: reported(nonNegative),
  /** The next loads, by the outcome of the running stage; unknown if the line would be found. */
  next: openObject({ ifHeld: reported(load), ifFailed: reported(load) }),
});

export type LineProgress = Infer<typeof lineProgressSchema>;

export const lineDocumentSchema = openObject({
  ...head,
  schema: v.literal(LINE_SCHEMA),
  by: v.picklist(['rate', 'concurrency']),
  concurrencyOf: concurrencyOfSchema,
  /** Requested width of the bracket as a share of the load: 0.05. */
  resolution: share,
  confidence: share,
  budgetMs: nonNegative,
  /** Of the budget, until the end of the last stage that nobody stopped. */
  usedMs: reported(nonNegative),
  line: loadLineSchema,
  /** One sentence for a person: "carries 11.6 to 12.2 requests/s at TTFT p95 ≤ 500 ms; above that the queue grows". */
  sentence: longText,
  /** The results by further objectives, from the same stages. */
  tiers: v.exactOptional(
    v.pipe(
      v.array(
        openObject({ name: tierName, objectives: head.objectives, line: loadLineSchema, sentence: longText }),
      ),
      v.maxLength(TIERS_MAX),
    ),
  ),
  /** If there are prices, and an end of the line is known. */
  cost: v.exactOptional(lineCostSchema),
  /** While it runs. */
  progress: v.exactOptional(lineProgressSchema),
});

export type LineDocument = Infer<typeof lineDocumentSchema>;
