// Runs laid over each other in time: each from its own zero, at the step of the coarsest of them.

import { maximumOf } from '../../../src/core/extremes.ts';
import type { ChartSeries } from './chart-series.ts';
import type { RunSeries } from './run-series.ts';

interface Overlaid {
  readonly stepMs: number;
  /** End of each point since each run's zero, s. */
  readonly seconds: readonly number[];
  /** One a run, in the order given. */
  readonly columns: readonly (readonly (number | null)[])[];
}

export const overlaid = (
  runs: readonly RunSeries[],
  read: (series: RunSeries) => readonly (number | null)[],
): Overlaid => {
  const stepMs = maximumOf([1, ...runs.map(run => run.stepMs)]);
  const length = maximumOf([0, ...runs.map(run => Math.floor((read(run).length * run.stepMs) / stepMs))]);
  return {
    stepMs,
    seconds: Array.from({ length }, (_, index) => ((index + 1) * stepMs) / 1_000),
    columns: runs.map(run => {
      const column = read(run);
      // The newest point of its own within the common one.
      return Array.from(
        { length },
        (_, index) => column[Math.round(((index + 1) * stepMs) / run.stepMs) - 1] ?? null,
      );
    }),
  };
};

interface LineLook {
  readonly stroke: string;
  readonly dash: readonly number[];
  readonly label: string;
}

/** Distinguished by pattern too: colour is never the only sign. */
const LINE_LOOKS: readonly LineLook[] = [
  { stroke: '--ink', dash: [], label: 'solid' },
  { stroke: '--water-mark', dash: [7, 3], label: 'dashed' },
  { stroke: '--series-2', dash: [2, 3], label: 'dotted' },
  { stroke: '--pick-mark', dash: [9, 3, 2, 3], label: 'dash-dotted' },
];

export const lineLook = (index: number): LineLook =>
  LINE_LOOKS[index % LINE_LOOKS.length] ?? { stroke: '--ink', dash: [], label: 'solid' };

export const overlaidSeries = ({ columns }: Overlaid): readonly ChartSeries[] =>
  columns.map((values, index) => {
    const { stroke, dash } = lineLook(index);
    return { values, stroke, dash, width: 1.6 };
  });
