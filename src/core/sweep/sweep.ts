// Sweeps and load lines as the cluster sees them: what was requested, what is known so far while it runs, and
// a digest of its stages. The whole document, with every stage over time, stays in the directory of the node
// that ran it.

import * as v from 'valibot';
import type { NodeId, SweepId } from '../ids.ts';
import {
  count,
  figure,
  type Infer,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  type Schema,
  shortText,
  sweepIdSchema,
  text,
} from '../schema.ts';
import type { Reported } from '../unknown.ts';
import { estimateSchema, stageCurveSchema, stageFieldSchemas, stageLoadSchema } from './stage.ts';
import { type LoadLine, lineProgressSchema, loadLineSchema } from './sweep-document.ts';

/** What is known of a sweep at one moment, or at its end. */
export interface SweepFindings {
  /** For a sweep of given loads it stays unknown: there was no search. */
  readonly line: LoadLine;
  /** One sentence for a person; '' before there is one. */
  readonly sentence: string;
  /** In the order they ran; if there are more than STAGES_REPORTED_MAX, the newest. */
  readonly stages: readonly StageDigest[];
}

export interface Sweep extends SweepFindings {
  readonly sweepId: SweepId;
  /** 'line': the loads were searched; 'sweep': a person named them. */
  readonly form: 'sweep' | 'line';
  /** ISO 8601 of the machine that runs it; for display, and for the order. */
  readonly startedAt: string;
  readonly name: Reported<string>;
  /** "gpu=h200". */
  readonly tags: readonly string[];
  /** Scheme, host, port and path; never credentials. */
  readonly target: string;
  /** Known if the target is a node's own address. */
  readonly targetNode: Reported<NodeId>;
  readonly serverKind: Reported<string>;
  readonly model: Reported<string>;
  readonly dataset: string;
  /** As they were written: `ttft.p95=500ms`. */
  readonly objectives: readonly string[];
  /** The share of issued requests that must meet the objectives of a single request. */
  readonly attainment: number;
  readonly by: 'rate' | 'concurrency';
  /** Requested width of the bracket as a share of the load; only for a line. */
  readonly resolution: Reported<number>;
  readonly confidence: Reported<number>;
  /** Command that repeats it, without secrets. */
  readonly command: string;
  /** Where the document and the stages are stored, on the machine of the entry's origin. */
  readonly directory: string;
  readonly state: SweepState;
  /**
   * Why the state is not 'complete', or why it ended before the last load; '' if there is no reason to show.
   */
  readonly reason: string;
}

export type SweepState = 'running' | 'complete' | 'stopped' | 'interrupted';

export const outcome: {
  readonly line: Schema<LoadLine>;
  readonly sentence: Schema<string>;
} = { line: loadLineSchema, sentence: text };

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

/** Limit per sweep, so that its newest report fits into one live event. */
export const STAGES_REPORTED_MAX = 48;

export const sweepProgressParts: { readonly [K in keyof SweepFindings]: Schema<SweepFindings[K]> } = {
  ...outcome,
  stages: v.pipe(v.array(stageDigestSchema), v.maxLength(STAGES_REPORTED_MAX)),
};

export const progress = reported(lineProgressSchema);

export const sweepProgressSchema = openObject({
  sweepId: sweepIdSchema,
  ...sweepProgressParts,
  progress,
});

/** What is published while it runs. */
export type SweepProgress = Infer<typeof sweepProgressSchema>;

/** The sweep of which a run is a stage. A type, not an interface: it is used in `Reported`. */
export type SweepStageRef = {
  readonly sweepId: SweepId;
  /** The number of the stage, from 1. */
  readonly stage: number;
};

/** A stage without its timeline: what a list, or a page on another machine, draws. */
export type StageDigest = Infer<typeof stageDigestSchema>;
