// Statistics of several runs as text and as rows: each figure with its interval over runs, how much runs
// vary, and the smallest change that this many runs can detect.

import type { SpreadMetric } from '../../core/comparison/run-spread.ts';
import { counted, figureText } from '../../core/figure/figure.ts';
import { inColumns } from '../../core/text/columns.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';

export const SPREAD_HEAD = ['', 'mean of runs', '95 % interval', 'between runs', 'smallest change'] as const;

/** A figure that no run has gets no row. */
export const spreadRows = (spread: readonly SpreadMetric[]): readonly (readonly string[])[] =>
  spread
    .filter(({ mean }) => isKnown(mean))
    .map(({ label, unit, mean, spread: between, smallestDifference }) => {
      const shown = (value: number): string => figureText(formatRunFigure(unit, value));
      return [
        label,
        isUnknown(mean) ? '–' : shown(mean.value),
        isUnknown(mean) ? '–' : `${shown(mean.low)} to ${shown(mean.high)}`,
        percentOf(between),
        percentOf(smallestDifference),
      ];
    });

/** For runs that all have the figure; a missing figure is listed below with its reason. */
export const spreadText = (spread: readonly SpreadMetric[], runs: number): readonly string[] => [
  ...inColumns([SPREAD_HEAD, ...spreadRows(spread)]),
  '',
  `Of ${counted(runs, 'run')}. Between runs: standard deviation of logarithms. Smallest change: what another ${counted(runs, 'run')} would detect in four of five attempts.`,
  ...missingLines(spread),
];

/** One line per reason, with all figures that it excludes. */
const missingLines = (spread: readonly SpreadMetric[]): readonly string[] => {
  const labels = new Map<string, string[]>();
  for (const { label, mean } of spread)
    if (isUnknown(mean)) labels.set(mean.reason, [...(labels.get(mean.reason) ?? []), label]);
  return [...labels].map(([reason, of]) => `- ${of.join(', ')}: ${reason}`);
};

const percentOf = (share: Reported<number>): string =>
  isUnknown(share) ? '–' : `${(share * 100).toFixed(1)} %`;
