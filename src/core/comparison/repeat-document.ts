// The document of several runs of one command, `repeat.json`: how runs vary without a change between them,
// and the smallest change that this many runs can detect.

import { counted, figureText } from '../figure/figure.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import type { ReportEnvironment } from '../run/report.ts';
import { inColumns } from '../text/columns.ts';
import { isKnown, isUnknown, type Reported } from '../unknown.ts';
import { refusalsBetween } from './comparability.ts';
import type { FinishedSide, FinishedUnit } from './compare-finished.ts';
import { runSpread, type SpreadMetric } from './run-spread.ts';

const REPEAT_SCHEMA = 'plimsoll.repeat/1';

export interface RepeatDocument {
  readonly schema: typeof REPEAT_SCHEMA;
  readonly id: string;
  readonly plimsoll: { readonly version: string };
  readonly environment: ReportEnvironment;
  readonly target: Reported<string>;
  readonly model: Reported<string>;
  readonly serverKind: Reported<string>;
  readonly units: readonly FinishedUnit[];
  readonly spread: readonly SpreadMetric[];
  /** What a reader must know in addition to the figures, one sentence each. */
  readonly notices: readonly string[];
}

export const repeatDocument = (
  { target, model, serverKind, units }: FinishedSide,
  reported: Pick<RepeatDocument, 'id' | 'plimsoll' | 'environment'>,
): RepeatDocument => ({
  schema: REPEAT_SCHEMA,
  ...reported,
  target,
  model,
  serverKind,
  units,
  spread: runSpread(units),
  notices: [
    ...units.flatMap(({ runId, fault }) => (fault === '' ? [] : [`Run ${runId} is not complete: ${fault}`])),
    ...refusalsBetween(
      units.map(({ facts }) => facts),
      [],
    ).map(
      ({ code, problem, a }) =>
        `${code === 'client' ? '' : 'The runs are not comparable with each other. '}${problem}: ${a}`,
    ),
  ],
});

// Statistics of several runs as text and as rows: each figure with its interval over runs, how much runs
// vary, and the smallest change that this many runs can detect.
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
