// The exit code of a run: 0 only where nothing is missing, no more failed than was allowed, and every objective was met.

import type { Report } from '../../core/run/report.ts';
import type { ExitName } from '../exit-codes.ts';

export interface ExitDemands {
  readonly maxFailures: number;
  readonly needsTrustworthy: boolean;
  /** What could not be written of the report. */
  readonly diskProblems: readonly string[];
}

/** The gravest first. */
export const benchExit = (report: Report, demands: ExitDemands): ExitName => {
  if (report.interrupted) return 'benchInterrupted';
  if (!report.complete || demands.diskProblems.length > 0) return 'benchIncomplete';
  if (demands.needsTrustworthy && report.client.verdict !== 'trustworthy') return 'benchClientBound';
  if (report.counts.failed > demands.maxFailures) return 'benchFailures';
  return missedObjectives(report).length > 0 ? 'benchObjectives' : 'ok';
};

/** An objective is met when every completed sample meets it, and there is one. Failures have a limit of their own. */
export const missedObjectives = ({ objectives = [], counts }: Report): readonly string[] =>
  objectives
    .filter(({ metSamples }) => metSamples < counts.completed || counts.completed === 0)
    .map(({ name, metSamples }) => `${name} (met by ${metSamples} of ${counts.completed} completed samples)`);
