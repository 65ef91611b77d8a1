// Finished runs as one side of a comparison, from their directories alone.

import {
  type FinishedSide,
  type FinishedUnit,
  finishedUnit,
  sideLabel,
} from '../core/comparison/compare-finished.ts';
import type { Report } from '../core/run/report.ts';
import { unknown } from '../core/unknown.ts';
import { rebuildReport } from './report-sources.ts';
import { runFiles } from './run-files.ts';
import { timedSamples } from './timed-samples.ts';

/** @throws RunDirectoryError */
export const finishedSide = async (directories: readonly string[]): Promise<FinishedSide> => {
  const reports: Report[] = [];
  for (const directory of directories) reports.push(await rebuildReport(directory));
  const units = reports.map((report, index) => finishedUnit(report, directories[index] ?? ''));
  const [first, ...rest] = reports;
  const [directory = ''] = directories;
  return {
    ...sideOfUnits(units, reports),
    only:
      first === undefined || rest.length > 0
        ? undefined
        : {
            report: first,
            timed: await timedSamples(runFiles(directory).samples, {
              isStreaming: first.run.streaming,
              objectives: first.objectives ?? [],
            }),
          },
  };
};

const sideOfUnits = (
  units: readonly FinishedUnit[],
  reports: readonly Report[],
): Omit<FinishedSide, 'only'> => {
  const run = reports[0]?.run;
  return {
    label: sideLabel(
      units,
      reports.map(report => report.run.name),
    ),
    target: run?.target ?? NO_RUN,
    model: run?.model ?? NO_RUN,
    serverKind: run?.serverKind ?? NO_RUN,
    units,
    environment:
      reports[0] === undefined
        ? NO_RUN
        : reports[0].run.foreign !== undefined
          ? unknown('another tool sent the load, and does not report where')
          : {
              node: reports[0].environment.node,
              os: reports[0].environment.os,
              cpu: reports[0].environment.cpu,
              cores: reports[0].environment.cores,
            },
    runsMin: 1,
  };
};

const NO_RUN = unknown('there is no run');
