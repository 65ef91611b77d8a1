// Runs next to each other: each figure with its difference from the reference, and the differences between their loads. One run
// each does not show how runs vary, so nothing here is called better or worse.

import { factsOfRun, loadDifferences } from '../../../src/core/comparison/comparability.ts';
import { minimumOf } from '../../../src/core/extremes.ts';
import { counted, type Figure, formatCount, formatFinePercent } from '../../../src/core/figure/figure.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import { foreignLabel } from '../../../src/core/run/foreign-run.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import { isOpenLoop } from '../../../src/core/run/run-pattern.ts';
import { HEADLINE_RATE_KEYS, type HeadlineRateKey, rateRow } from '../../../src/core/run/run-rates.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import {
  HEADLINE_PERCENTILES,
  type SeriesKey,
  seriesOf,
  seriesRow,
} from '../../../src/core/run/run-series.ts';
import { loadLabel } from '../../../src/core/run/run-shape.ts';
import type { BetterDirection } from '../../../src/core/run/series-row.ts';
import type { State } from '../../../src/core/state.ts';
import { hasEnoughFor } from '../../../src/core/statistics/early-stopping.ts';
import { capitalized } from '../../../src/core/text/single-line.ts';
import { isKnown, isUnknown, knownOr } from '../../../src/core/unknown.ts';
import { formatRunFigure } from '../../../src/render/run/format-run-figure.ts';
import type { Compared } from './comparability.ts';
import { limitText, modelLabel, percentileNs, targetLabel } from './run-labels.ts';

/** More columns cannot be read, and more lines in a chart cannot be distinguished. */
export const COMPARED_MAX = 4;

interface ComparedCell {
  readonly value: Figure;
  /** "+11.2 %", "same"; '' for the reference and where there is nothing to compare. */
  readonly change: string;
  /** Why the change means little; '' elsewhere. */
  readonly note: string;
}

export interface ComparedRow {
  readonly key: ComparedKey;
  readonly name: string;
  /** "higher is better", "lower is better"; '' where neither is. */
  readonly aim: string;
  readonly cells: readonly ComparedCell[];
}

/** The first run is the reference. A figure that no run has is no row. */
export const comparedRows = (runs: readonly RunView[]): readonly ComparedRow[] =>
  FIGURES.flatMap(({ key, name, better, isScheduled, read, format, percentile }) => {
    const values = runs.map(view => (isUnknown(view.run.figures) ? undefined : read(view.run.figures)));
    const notes = runs.map(view => noteOf(percentile, runs[0], view));
    if (values.every(value => value === undefined)) return [];
    const [reference] = values;
    // Where the schedule sets the rate, a higher one is what was asked and no merit.
    const aim = isScheduled && runs.every(({ run }) => isOpenLoop(run.pattern)) ? 'none' : better;
    return [
      {
        key,
        name,
        aim: aim === 'none' ? '' : `${aim} is better`,
        cells: values.map((value, index) =>
          cellOf({ value, reference, isReference: index === 0, format, note: notes[index] ?? '' }),
        ),
      },
    ];
  });

interface SettingRow {
  readonly name: string;
  readonly values: readonly string[];
  readonly isDifferent: boolean;
}

/** What was asked, and by whom: a difference in a figure is one of these, or chance. */
export const requestedRows = (cluster: State, runs: readonly Compared[]): readonly SettingRow[] =>
  REQUEST_ROWS.map(([name, read]) => {
    const values = runs.map(each => read(each, cluster));
    return { name, values, isDifferent: new Set(values).size > 1 };
  });

/** Of one run against the reference, in one line: "Output 1 839 tok/s +11.2 %". */
export const headlines = (runs: readonly RunView[]): readonly ComparedRow[] => {
  const rows = comparedRows(runs);
  return HEADLINES.flatMap(key => rows.filter(row => row.key === key)).slice(0, HEADLINES_MAX);
};

interface CellSources {
  readonly value: number | undefined;
  readonly reference: number | undefined;
  readonly isReference: boolean;
  readonly format: (value: number) => Figure;
  readonly note: string;
}

const cellOf = ({ value, reference, isReference, format, note }: CellSources): ComparedCell => {
  if (value === undefined) return { value: { figure: '–', unit: '' }, change: '', note: '' };
  const plain: ComparedCell = { value: format(value), change: '', note: '' };
  if (isReference || reference === undefined) return plain;
  if (value === reference) return { ...plain, change: 'same' };
  if (reference === 0) return plain;
  const share = value / reference - 1;
  return Math.abs(share) < SAME_SHARE
    ? { ...plain, change: 'same' }
    : { ...plain, change: changeText(share), note };
};

/** Why a figure of the run cannot be compared with the reference; '' where it may. */
const noteOf = (
  percentile: { readonly series: SeriesKey; readonly at: string } | undefined,
  reference: RunView | undefined,
  view: RunView,
): string => {
  if (reference === undefined) return '';
  if (loadDifferences(factsOfRun(reference.run), factsOfRun(view.run)).length > 0) return 'different load';
  if (percentile === undefined) return '';
  const { series, at } = percentile;
  const counts = [reference, view].map(({ run: { figures } }) =>
    isUnknown(figures) ? 0 : (figures.series[series]?.count ?? 0),
  );
  const fewest = minimumOf(counts);
  return hasEnoughFor(Number(at), fewest) ? '' : `${counted(fewest, 'sample')}, too few for p${at}`;
};

/** "+11.2 %", "−62.0 %", "+340 %". */
const changeText = (share: number): string => {
  const percent = Math.abs(share) * 100;
  return `${share > 0 ? '+' : '−'}${percent.toFixed(percent < 99.95 ? 1 : 0)}\u202f%`;
};

type ComparedKey =
  | HeadlineRateKey
  | `${SeriesKey} p${(typeof HEADLINE_PERCENTILES)[number]}`
  | 'completed'
  | 'failed';

interface ComparedFigure {
  readonly key: ComparedKey;
  readonly name: string;
  readonly better: BetterDirection;
  readonly isScheduled?: boolean;
  readonly read: (figures: RunFigures) => number | undefined;
  readonly format: (value: number) => Figure;
  /** Of figures that need enough samples. */
  readonly percentile?: { readonly series: SeriesKey; readonly at: string };
}

const rates = (keys: readonly HeadlineRateKey[]): readonly ComparedFigure[] =>
  keys.map(key => {
    const { shortLabel, better, unit, isScheduled = false } = rateRow(key);
    return {
      key,
      name: shortLabel,
      better,
      isScheduled,
      read: figures => knownOr(figures[key], undefined),
      format: value => formatRunFigure(unit, value),
    };
  });

const percentiles = (key: SeriesKey): readonly ComparedFigure[] => {
  const { shortLabel, better, unit } = seriesRow(key);
  return HEADLINE_PERCENTILES.map(percentile => ({
    key: `${key} p${percentile}`,
    name: `${capitalized(shortLabel)} p${percentile}`,
    better,
    read: figures => percentileNs(figures, key, percentile),
    percentile: { series: key, at: percentile },
    format: value => formatRunFigure(unit, value),
  }));
};

const isNeutral = (key: HeadlineRateKey): boolean => rateRow(key).better === 'none';

const FIGURES: readonly ComparedFigure[] = [
  ...rates(HEADLINE_RATE_KEYS.filter(key => !isNeutral(key))),
  ...seriesOf('headline').flatMap(percentiles),
  {
    key: 'completed',
    name: 'Completed',
    better: 'none',
    read: ({ counts }) => counts.completed,
    format: value => ({ figure: formatCount(value), unit: '' }),
  },
  {
    key: 'failed',
    name: 'Failed',
    better: 'lower',
    read: ({ counts }) =>
      counts.completed + counts.failed === 0 ? undefined : counts.failed / (counts.completed + counts.failed),
    format: formatFinePercent,
  },
  ...rates(HEADLINE_RATE_KEYS.filter(isNeutral)),
];

const REQUEST_ROWS: readonly (readonly [string, (each: Compared, cluster: State) => string])[] = [
  ['Model', ({ view }) => modelLabel(view.run)],
  ['Target', ({ view }, cluster) => targetLabel(cluster, view.run)],
  ['Load', ({ view }) => loadLabel(view.run)],
  ['Until', ({ view }) => limitText(view.run) || 'not reported'],
  ['Data set', ({ view }) => view.run.dataset],
  [
    'Measured by',
    ({ view }) => (view.run.foreign === undefined ? 'Plimsoll' : foreignLabel(view.run.foreign)),
  ],
  ['Seed', ({ view }) => (view.run.foreign === undefined ? String(view.run.seed) : 'not reported')],
  ['Streamed', ({ view }) => (view.run.isStreaming ? 'yes' : 'no')],
  ['Sent by', ({ view }, cluster) => nodeName(cluster, view.node)],
  ['Plimsoll', ({ version }) => (version === '' ? '–' : version)],
];

/** Runs of one load: the state's order is the newest first, and one compares with what was before. */
export const referenceFirst = (views: readonly RunView[]): readonly RunView[] =>
  views.toSorted((a, b) =>
    a.run.startedAt < b.run.startedAt ? -1 : a.run.startedAt > b.run.startedAt ? 1 : 0,
  );

export const canBeCompared = ({ isLive, run }: RunView): boolean => !isLive && isKnown(run.figures);

const HEADLINES: readonly ComparedKey[] = [
  'outputTokensPerSecond',
  'ttftNs p50',
  'ttftNs p99',
  'tpotNs p50',
  'latencyNs p50',
  'latencyNs p99',
];
const HEADLINES_MAX = 4;
/** What rounds to no tenth of a per cent. */
const SAME_SHARE = 0.000_5;
