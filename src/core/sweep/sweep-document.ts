// The document of a directory of stages: `sweep.json`, or `line.json` if the loads were searched. Written
// again after each stage, so that a crash loses at most the stage that was running.

import * as v from 'valibot';
import type { FailedStop } from '../run/failed-stop.ts';
import type { ReportEnvironment } from '../run/report.ts';
import { count, type Infer, nonNegative, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';
import { load, type Stage, type StageLoad } from './stage.ts';

export const SWEEP_SCHEMA = 'plimsoll.sweep/1';
export const LINE_SCHEMA = 'plimsoll.line/1';

export interface SweepHead {
  readonly id: string;
  readonly plimsoll: { readonly version: string };
  readonly name: Reported<string>;
  readonly tags: Readonly<Record<string, string>>;
  readonly startedAt: string;
  /** Without secrets. */
  readonly target: string;
  /** Unknown before the first stage has queried the server. */
  readonly model: Reported<string>;
  readonly serverKind: Reported<string>;
  readonly dataset: string;
  /** As they were written. */
  readonly objectives: readonly string[];
  /** The share of issued requests that must meet the objectives of a single request. */
  readonly attainment: number;
  readonly seed: number;
  /** Command that repeats it, without secrets. */
  readonly command: string;
  readonly environment: ReportEnvironment;
  readonly state: 'running' | 'complete' | 'stopped' | 'interrupted';
  readonly stages: readonly Stage[];
  /** Requests failed until a rule ended a stage, and with it the rest. */
  readonly stopped?: FailedStop;
}

export interface SweepDocument extends SweepHead {
  readonly schema: typeof SWEEP_SCHEMA;
  readonly requested: readonly StageLoad[];
  /** Why it ended before the last load, if it did. */
  readonly endedEarly?: string;
  readonly resume: Reported<SweepResume>;
}

const RESUME_ARG_LENGTH_MAX = 8_192;

/** Limit for a stored command line, with which a sweep is continued. */
const RESUME_ARGS_MAX = 1_024;

export const resumeSchema = openObject({
  /** After `plimsoll sweep`. */
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

export interface LineDocument extends SweepHead {
  readonly schema: typeof LINE_SCHEMA;
  readonly by: 'rate' | 'concurrency';
  /** Requested width of the bracket as a share of the load: 0.05. */
  readonly resolution: number;
  readonly confidence: number;
  readonly budgetMs: number;
  readonly line: LoadLine;
  /** One sentence for a person: "carries 11.6 to 12.2 requests/s at TTFT p95 ≤ 500 ms; above that the queue grows". */
  readonly sentence: string;
  /** While it runs. */
  readonly progress?: LineProgress;
}

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
