// What a finished run reached, next to what is expected of the same placement: seconds a token of one sequence.

import { counted } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { Run } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { shapeOf } from '../../../src/core/run/run-shape.ts';
import { isUnknown, type Unknown, unknown } from '../../../src/core/unknown.ts';
import type { ModelPlacement, PlacementTime } from './placement.ts';

export interface Achieved {
  readonly run: Run;
  /** Key of the placement. */
  readonly placement: string;
  /** Of one token of one sequence: TPOT p50. */
  readonly seconds: number;
  readonly standing: AchievedStanding;
  /** Achieved ÷ bound and ÷ expected, as speeds: below 1 is slower. */
  readonly ofBound: number;
  readonly ofExpected: number;
}

/** `above-bound`: faster than measured ceilings allow, which is a finding. */
type AchievedStanding = 'above-bound' | 'faster' | 'inside' | 'slower';

export const standingOf = (
  seconds: number,
  { boundSeconds, seconds: expected }: Pick<PlacementTime, 'boundSeconds' | 'seconds'>,
): AchievedStanding => {
  if (seconds < boundSeconds) return 'above-bound';
  if (seconds < expected.low) return 'faster';
  return seconds > expected.high ? 'slower' : 'inside';
};

/** A run whose figures are comparable with those of this batch size, on the placement that has its target. */
export const achievedBy = (
  { run, state }: Pick<RunView, 'run' | 'state'>,
  placement: ModelPlacement,
  batch: number,
): Achieved | Unknown => {
  if (state !== 'complete') return unknown(`run ${run.runId} is not complete`);
  const { targetNode, pattern, figures } = run;
  if (isUnknown(targetNode))
    return unknown(`which machine run ${run.runId} loaded is not known: ${targetNode.reason}`);
  if (!placement.nodes.includes(targetNode)) return unknown(`run ${run.runId} loaded another machine`);
  if (pattern.kind !== 'concurrency' || pattern.concurrency !== batch || shapeOf(run).steps.length > 0)
    return unknown(`run ${run.runId} did not keep ${counted(batch, 'request')} in flight`);
  if (isUnknown(figures)) return figures;
  const nanoseconds = figures.series.tpotNs?.percentiles['50'];
  if (nanoseconds === undefined || nanoseconds <= 0) return unknown(`run ${run.runId} has no time per token`);
  const { time } = placement;
  if (isUnknown(time)) return time;
  const seconds = nanoseconds / 1e9;
  return {
    run,
    placement: placement.key,
    seconds,
    standing: standingOf(seconds, time),
    ofBound: time.boundSeconds / seconds,
    ofExpected: time.seconds.value / seconds,
  };
};

/** Finished runs that loaded one of these machines and kept so many in flight, the newest first. */
export const comparableRuns = (
  runs: readonly RunView[],
  nodes: readonly NodeId[],
  batch: number,
): readonly RunView[] =>
  runs
    .filter(
      ({ run, state }) =>
        state === 'complete' &&
        !isUnknown(run.targetNode) &&
        nodes.includes(run.targetNode) &&
        run.pattern.kind === 'concurrency' &&
        run.pattern.concurrency === batch &&
        run.isStreaming,
    )
    .slice(0, RUNS_OFFERED_MAX);

const RUNS_OFFERED_MAX = 20;
