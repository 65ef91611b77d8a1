// Statistics of several runs as text and as rows: each figure with its interval over runs, how much runs
// vary, and the smallest change that this many runs can detect.

import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import type { SpreadMetric } from '../../core/comparison/run-spread.ts';
import { counted, figureText } from '../../core/figure/figure.ts';
import { hangingLines } from '../../core/text/columns.ts';
import { isUnknown, knownOr, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { type Section, tableLines } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';

/** Of a figure that no run has there is no row, but the reason. */
export const spreadSection = (spread: readonly SpreadMetric[], runs: number): SpreadSection => ({
  key: 'spread',
  title: 'Figures over runs',
  tables: [
    {
      name: 'Figures over runs',
      columns: ['figure', 'mean of runs', '95 % interval', 'between runs', 'smallest change'],
      rows: spread.flatMap(({ label, unit, mean, spread: between, smallestDifference }) => {
        if (isUnknown(mean)) return [];
        const [value, low, high] = [mean.value, mean.low, mean.high].map(each =>
          figureText(formatRunFigure(unit, each)),
        );
        return [[label, value ?? '', `${low} to ${high}`, percentOf(between), percentOf(smallestDifference)]];
      }),
    },
  ],
  remarks: [
    `Of ${counted(runs, 'run')}. Between runs: standard deviation of logarithms. Smallest change: what another ${counted(runs, 'run')} would detect in four of five attempts.`,
    ...missingLines(spread),
  ],
});

type SpreadSection = Section & Required<Pick<Section, 'tables' | 'remarks'>>;

export const spreadText = (spread: readonly SpreadMetric[], runs: number): readonly string[] => {
  const { tables, remarks } = spreadSection(spread, runs);
  return [...tables.flatMap(table => tableLines(table)), '', ...remarks];
};

export const repeatText = (
  { id, model, target, units, spread, notices }: RepeatDocument,
  options: TextOptions,
): readonly string[] => {
  const { tables, remarks } = spreadSection(spread, units.length);
  return [
    `${counted(units.length, 'run')} in ${id}: ${knownOr(model, 'unknown model')} at ${knownOr(target, 'an unknown target')}`,
    '',
    ...tables.flatMap(table => tableLines(table)),
    '',
    ...[...remarks, ...notices].flatMap(remark => hangingLines('- ', remark, options.columns)),
  ].map(line => shownLine(line, options));
};

/** One line per reason, with all figures that it excludes. */
const missingLines = (spread: readonly SpreadMetric[]): readonly string[] => {
  const labels = new Map<string, string[]>();
  for (const { label, mean } of spread)
    if (isUnknown(mean)) labels.set(mean.reason, [...(labels.get(mean.reason) ?? []), label]);
  return [...labels].map(([reason, of]) => `${of.join(', ')}: ${reason}`);
};

const percentOf = (share: Reported<number>): string =>
  isUnknown(share) ? '–' : `${(share * 100).toFixed(1)} %`;
