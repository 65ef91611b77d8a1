// A run as the cluster holds it, of a report that nobody announced: found in a run directory after its daemon had not been there.

import type { RunId } from '../../core/ids.ts';
import type { Report } from '../../core/run/report.ts';
import type { Run } from '../../core/run/run.ts';
import { runDigest, runRequested, stateOf } from '../../core/run/run-digest.ts';
import { unknown } from '../../core/unknown.ts';
import { plainTarget, type TargetSources, targetNodeOf } from './target-node.ts';

export const runOfReport = (
  report: Report,
  runId: RunId,
  directory: string,
  parts: TargetSources,
): Omit<Run, 'sweep'> => {
  const target = plainTarget(report.run.target);
  return {
    runId,
    startedAt: report.run.startedAt,
    target,
    targetNode: targetNodeOf(target, parts),
    ...runRequested(report.run),
    limits: { samplesMax: unknown('not in the report'), durationMs: unknown('not in the report') },
    objectives: (report.objectives ?? []).map(({ name, limitNs }) => ({ name, limitNs })),
    runObjectives: unknown('not in the report'),
    attainment: unknown('not in the report'),
    directory,
    state: stateOf(report),
    reason: reasonOf(report),
    figures: runDigest(report),
  };
};

/** '' where it is complete. */
export const reasonOf = (report: Report): string =>
  (report.incompleteReason ?? '').slice(0, REASON_LENGTH_MAX);

const REASON_LENGTH_MAX = 1_000;
