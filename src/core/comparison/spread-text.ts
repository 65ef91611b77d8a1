// What several runs say together, as text and as rows: each figure with its interval over runs, how much runs differ, and the
// smallest change that so many runs can show.

import { counted, figureText } from '../figure/figure.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { inColumns } from '../text/columns.ts';
import { isKnown, isUnknown, type Reported } from '../unknown.ts';
import type { SpreadMetric } from './run-spread.ts';

export const SPREAD_HEAD = ['', 'mean of runs', '95 % interval', 'between runs', 'smallest change'] as const;

/** A figure that no run has is no row. */
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

/** Of runs of which each has the figure; what a run lacks is said below with its reason. */
export const spreadText = (spread: readonly SpreadMetric[], runs: number): readonly string[] => [
  ...inColumns([SPREAD_HEAD, ...spreadRows(spread)]),
  '',
  `Of ${counted(runs, 'run')}. Between runs: standard deviation of logarithms. Smallest change: what another ${counted(runs, 'run')} would show in four of five tries.`,
  ...missingLines(spread),
];

/** One line a reason, with all figures that it keeps out. */
const missingLines = (spread: readonly SpreadMetric[]): readonly string[] => {
  const labels = new Map<string, string[]>();
  for (const { label, mean } of spread)
    if (isUnknown(mean)) labels.set(mean.reason, [...(labels.get(mean.reason) ?? []), label]);
  return [...labels].map(([reason, of]) => `- ${of.join(', ')}: ${reason}`);
};

const percentOf = (share: Reported<number>): string =>
  isUnknown(share) ? '–' : `${(share * 100).toFixed(1)} %`;
