// The document of a directory of stages: `sweep.json`, or `line.json` if the loads were searched. Written
// again after each stage, so that a crash loses at most the stage that was running.

import type { FailedStop } from '../run/failed-stop.ts';
import type { ReportEnvironment } from '../run/report.ts';
import type { Reported } from '../unknown.ts';
import type { Stage, StageLoad } from './stage.ts';

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

/** What is needed to continue it: the command line, without its secrets. */
export type SweepResume = {
  /** After `plimsoll sweep`. */
  readonly args: readonly string[];
  /** Where they were typed: relative paths start there. */
  readonly cwd: string;
  /**
   * Options and variables that are not stored, and must be given again: "--header-file", "OPENAI_API_KEY".
   */
  readonly secrets: readonly string[];
};

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

/** Loads are requests/s or requests in flight, depending on `by`. */
export type LoadLine =
  /** Nothing is known on either side yet. */
  | { readonly kind: 'unknown'; readonly reason: string }
  | {
      readonly kind: 'bracket';
      /** Holds, does not hold. */
      readonly holds: number;
      readonly fails: number;
      readonly failsBy: 'objective' | 'over-capacity';
      /** Both ends were measured a second time with the same result. */
      readonly isConfirmed: boolean;
    }
  /** The highest load tried held; `limit` is the reason why the search ended. */
  | {
      readonly kind: 'at-least';
      readonly holds: number;
      readonly limit: 'client' | 'budget' | 'stopped' | 'load-max';
    }
  /** Lower loads were tried or left untried without a verdict: `limit` is the reason. */
  | {
      readonly kind: 'at-most';
      readonly fails: number;
      readonly failsBy: 'objective' | 'over-capacity';
      readonly limit: 'undecided' | 'client' | 'budget' | 'stopped';
    }
  /** The lowest load there is, one request at a time, did not hold. */
  | { readonly kind: 'none'; readonly fails: number; readonly failsBy: 'objective' | 'over-capacity' };

export interface LineProgress {
  readonly stagesDone: number;
  readonly stagesExpected: number;
  readonly leftMs: Reported<number>;
  /** The next loads, by the outcome of the running stage; unknown if the line would be found. */
  readonly next: { readonly ifHeld: Reported<number>; readonly ifFailed: Reported<number> };
}
