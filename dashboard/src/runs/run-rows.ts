// Runs as rows: the text of each column, its sort key, and which rows a filter leaves.

import { formatMeasuredNanoseconds } from '../../../src/core/figure/duration.ts';
import {
  counted,
  figureText,
  formatCount,
  formatThreeDigits,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import { failureHeadline, failureHeadlineText } from '../../../src/core/run/failure-text.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { headlineSeries } from '../../../src/core/run/run-series.ts';
import { loadLabel } from '../../../src/core/run/run-shape.ts';
import type { State } from '../../../src/core/state.ts';
import { hasEnoughFor } from '../../../src/core/statistics/early-stopping.ts';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import { type VerdictLabel, verdictLabel } from '../../../src/render/run/verdict-text.ts';
import {
  limitText,
  modelLabel,
  nameText,
  percentileNs,
  type StateText,
  shownFigures,
  startedText,
  stateText,
  targetLabel,
} from '../run/run-labels.ts';

export interface RunRow {
  readonly view: RunView;
  readonly state: StateText;
  /** Its name and its tags; '' where it has none. */
  readonly name: string;
  readonly model: string;
  readonly target: string;
  readonly load: string;
  readonly completed: string;
  readonly failed: string;
  readonly hasFailures: boolean;
  /** "1 objective missed"; '' where none was. */
  readonly missed: string;
  /** Its page warns of it: it was cut off or failed, its client was the limit, or it missed an objective. */
  readonly isFlagged: boolean;
  readonly output: string;
  /** "184 · 612 ms"; for a run that does not stream the latency, labelled as such. */
  readonly ttft: string;
  readonly tpot: string;
  readonly started: string;
  readonly verdict: VerdictLabel | undefined;
}

export type SortKey = 'started' | 'model' | 'completed' | 'output' | 'ttft' | 'tpot';

export interface RunSort {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: RunSort = { key: 'started', isDescending: true };

/** Another column begins with what is best in it; the same one turns round. */
export const turnedSort = (sort: RunSort, key: SortKey): RunSort =>
  sort.key === key
    ? { key, isDescending: !sort.isDescending }
    : { key, isDescending: key === 'started' || key === 'completed' || key === 'output' };

/** Every word of the text must be somewhere in the run's id, name, tags, model, target, server or load. */
export const matchesText = (row: RunRow, text: string): boolean =>
  matchesSearch(
    `${row.view.run.runId} ${row.name} ${row.model} ${row.target} ${row.view.run.target} ${row.load}`,
    text,
  );

/** Every word of the text, in any order. */
export const matchesSearch = (searchable: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every(word => searchable.toLowerCase().includes(word));

/** Of a run whose figures do not mean what they are called, before whether its client kept up. */
const failedText = (figures: RunFigures): VerdictLabel | undefined => {
  const failed = failureHeadline(figures);
  if (failed?.isGrave !== true) return undefined;
  return { tone: 'caution', label: failureHeadlineText(failed), short: failed.short, remark: '' };
};

export const runRow = (cluster: State, view: RunView, nowWallMs: number): RunRow => {
  const { run } = view;
  const figures = shownFigures(view);
  const series = headlineSeries(run);
  const p50 = percentileNs(figures, series, '50');
  const p99 = percentileNs(figures, series, '99');
  const tpot = percentileNs(figures, 'tpotNs', '50');
  const limits = limitText(run);
  const state = stateText(view);
  const verdict =
    figures === undefined
      ? undefined
      : (failedText(figures) ?? verdictLabel(figures.client, view.state, figures.series));
  const missed = missedText(figures);
  return {
    view,
    state,
    missed,
    isFlagged:
      state.tone === 'cut' || state.tone === 'broken' || verdict?.tone === 'caution' || missed !== '',
    name: nameText(run).join(' · '),
    model: modelLabel(run),
    target: targetLabel(cluster, run),
    load: `${loadLabel(run)}${limits === '' ? '' : `, ${limits}`}`,
    completed: formatCount(figures?.counts.completed ?? 0),
    failed: formatCount(figures?.counts.failed ?? 0),
    hasFailures: (figures?.counts.failed ?? 0) > 0,
    output:
      figures !== undefined && isKnown(figures.outputTokensPerSecond)
        ? formatThreeDigits(figures.outputTokensPerSecond)
        : UNKNOWN_FIGURE.figure,
    ttft:
      p50 === undefined || p99 === undefined
        ? UNKNOWN_FIGURE.figure
        : `${run.isStreaming ? '' : 'latency '}${pairText(p50, hasEnoughFor(99, figures?.series[series]?.count ?? 0) ? p99 : undefined)}`,
    tpot: tpot === undefined ? UNKNOWN_FIGURE.figure : ns(tpot),
    started: startedText(run.startedAt, nowWallMs),
    verdict,
  };
};

export const sortedViews = (views: readonly RunView[], { key, isDescending }: RunSort): readonly RunView[] =>
  views.toSorted((a, b) => {
    const [x, y] = [sortValue(a, key), sortValue(b, key)];
    // Unknown values sort last in either direction.
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    const order = x < y ? -1 : x > y ? 1 : 0;
    return isDescending ? -order : order;
  });

const sortValue = (view: RunView, key: SortKey): number | string | undefined => {
  const figures = shownFigures(view);
  switch (key) {
    case 'started':
      return view.run.startedAt;
    case 'model':
      return modelLabel(view.run).toLowerCase();
    case 'completed':
      return figures?.counts.completed;
    case 'output':
      return figures !== undefined && isKnown(figures.outputTokensPerSecond)
        ? figures.outputTokensPerSecond
        : undefined;
    case 'ttft':
      return percentileNs(figures, 'ttftNs', '50');
    case 'tpot':
      return percentileNs(figures, 'tpotNs', '50');
    default:
      return key satisfies never;
  }
};

const missedText = (figures: RunFigures | undefined): string => {
  const count = (figures === undefined ? [] : knownOr(figures.objectives, [])).filter(
    ({ answer }) => answer === 'missed',
  ).length;
  return count === 0 ? '' : `${counted(count, 'objective')} missed`;
};

/** The unit is written once if both have the same one. `high` is undefined if there were too few requests. */
const pairText = (low: number, high: number | undefined): string => {
  if (high === undefined) return `${ns(low)} · ${UNKNOWN_FIGURE.figure}`;
  const [a, b] = [formatMeasuredNanoseconds(low), formatMeasuredNanoseconds(high)];
  return `${a.unit === b.unit ? a.figure : figureText(a)} · ${figureText(b)}`;
};

const ns = (value: number): string => figureText(formatMeasuredNanoseconds(value));
