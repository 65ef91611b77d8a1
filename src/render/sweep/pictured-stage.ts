// A stage as charts and tables show it, from its complete figures or only from the digest that the cluster
// has of it.

import type { RunId } from '../../core/ids.ts';
import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import { earlyStoppingRank } from '../../core/statistics/early-stopping.ts';
import type { Stage, StageCurve, StageLoad, StagePurpose, StageTimeline } from '../../core/sweep/stage.ts';
import type { StageDigest } from '../../core/sweep/sweep.ts';
import { stageDigest } from '../../core/sweep/sweep-digest.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';

/** The state of a stage in a chart: its shape, word and colour. */
type StageStanding =
  | 'held'
  | 'failed'
  | 'running'
  /** Its process ended in the middle of it: its result is not known. */
  | 'cut-off'
  | 'undecided'
  | 'client-bound'
  | 'stopped'
  | 'broken';

export interface PicturedStage {
  readonly number: number;
  readonly runId: RunId;
  readonly load: StageLoad;
  readonly purpose: StagePurpose;
  readonly standing: StageStanding;
  readonly isOverCapacity: boolean;
  /** The sentence that decided; '' if there is none. */
  readonly reason: string;
  readonly issued: number;
  /** Undefined if only the digest is known. */
  readonly completed: number | undefined;
  /** Undefined if only the digest is known. */
  readonly failed: number | undefined;
  readonly elapsedMs: number;
  readonly completedPerSecond: number | undefined;
  readonly outputTokensPerSecond: number | undefined;
  readonly perUserTokensPerSecond: number | undefined;
  /** The share of the requests that met all objectives of a request. */
  readonly attainment: number | undefined;
  readonly curve: StageCurve | undefined;
  readonly growthPerMinute: number | undefined;
  /** Undefined if only the digest is known. */
  readonly timeline: StageTimeline | undefined;
  readonly objectives: readonly ObjectiveAnswer[];
}

/** A percentile in ns; undefined if it is unknown, or from too few requests, as in the report of a run. */
export const reportedTail = (
  { issued, completed, curve }: Pick<PicturedStage, 'issued' | 'completed' | 'curve'>,
  of: 'percentile' | 'p99' = 'percentile',
): number | undefined => {
  if (curve === undefined) return undefined;
  const [percentile, ns] = of === 'p99' ? [99, curve.p99] : [curve.percentile, curve.atPercentile];
  const isStated = percentile <= 50 || earlyStoppingRank(completed ?? issued, percentile) > 0;
  return isStated ? ns : undefined;
};

/** From complete stages. */
export const picturedStages = (stages: readonly Stage[]): readonly PicturedStage[] =>
  stages.flatMap(stage => {
    const digest = stageDigest(stage);
    if (digest === undefined) return [];
    const { figures } = stage;
    return isUnknown(figures)
      ? [pictured(digest)]
      : [
          {
            ...pictured(digest),
            completed: figures.completed,
            failed: figures.failed,
            timeline: figures.timeline,
            objectives: figures.objectives,
          },
        ];
  });

/** For a sweep that is over: a stage that is marked as running was cut off. */
export const picturedAfterwards = (stages: readonly Stage[]): readonly PicturedStage[] =>
  picturedStages(stages).map(stage =>
    stage.standing === 'running' ? { ...stage, standing: 'cut-off' } : stage,
  );

export const hasEnded = ({ standing }: Pick<PicturedStage, 'standing'>): boolean =>
  standing !== 'running' && standing !== 'cut-off';

/** From what the cluster has of them. */
export const picturedDigests = (stages: readonly StageDigest[]): readonly PicturedStage[] =>
  stages.map(pictured);

/**
 * In the unit of the search; undefined if a stage was loaded in another way, as the first guesses of a search
 * are.
 */
export const loadOn = ({ load }: Pick<PicturedStage, 'load'>, by: StageLoad['kind']): number | undefined => {
  if (load.kind !== by) return undefined;
  return load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;
};

/** By load; repeated measurements in the order they ran; another kind of load first. */
export const inLoadOrder = (
  stages: readonly PicturedStage[],
  by: StageLoad['kind'],
): readonly PicturedStage[] =>
  stages.toSorted((a, b) => (loadOn(a, by) ?? 0) - (loadOn(b, by) ?? 0) || a.number - b.number);

/** Mean requests in flight once the stage had filled; undefined if no timeline is known. */
export const settledInFlight = ({ timeline }: Pick<PicturedStage, 'timeline'>): number | undefined => {
  const settled = timeline?.inFlight.slice(Math.floor(timeline.inFlight.length * SETTLED_FROM)) ?? [];
  return settled.length === 0 ? undefined : settled.reduce((sum, count) => sum + count, 0) / settled.length;
};

const pictured = (digest: StageDigest): PicturedStage => ({
  number: digest.number,
  runId: digest.runId,
  load: digest.load,
  purpose: digest.purpose,
  standing: standingOf(digest),
  isOverCapacity: digest.verdict === 'over-capacity',
  reason: digest.reason,
  issued: digest.issued,
  completed: undefined,
  failed: undefined,
  elapsedMs: digest.elapsedMs,
  completedPerSecond: knownOr(digest.completedPerSecond, undefined),
  outputTokensPerSecond: knownOr(digest.outputTokensPerSecond, undefined),
  perUserTokensPerSecond: knownOr(digest.perUserTokensPerSecond, undefined),
  attainment: isUnknown(digest.attainment) ? undefined : digest.attainment.value,
  curve: knownOr(digest.curve, undefined),
  growthPerMinute: knownOr(digest.inFlightGrowthPerMinute, undefined),
  timeline: undefined,
  objectives: [],
});

const standingOf = ({ state, verdict }: StageDigest): StageStanding => {
  if (state !== 'ended') return 'running';
  if (isUnknown(verdict)) return 'undecided';
  return verdict === 'missed' || verdict === 'over-capacity' ? 'failed' : verdict;
};

/** The first part of a stage fills the endpoint. */
const SETTLED_FROM = 1 / 3;
