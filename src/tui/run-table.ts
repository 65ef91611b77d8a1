// The running benchmarks, and the newest that has ended, as a table.

import { formatClock } from '../core/figure/duration.ts';
import { figureText, UNKNOWN_FIGURE } from '../core/figure/figure.ts';
import { nodeName } from '../core/node/node-view.ts';
import { failureHeadline } from '../core/run/failure-text.ts';
import { type ClientFigures, type RunFigures, verdictText } from '../core/run/run.ts';
import { RUN_RATES } from '../core/run/run-rates.ts';
import { type RunView, runViews } from '../core/run/run-selectors.ts';
import { headlineSeries, seriesRow } from '../core/run/run-series.ts';
import type { State } from '../core/state.ts';
import { isKnown, isUnknown } from '../core/unknown.ts';
import { formatRunFigure } from '../render/run/format-run-figure.ts';
import { type Line, part } from './part.ts';
import { type Column, layoutTable } from './table.ts';
import { liveFigureText } from './watched-run.ts';

/**
 * Empty if nothing was ever run.
 * @param options.views these instead, as they stand.
 */
export const runTable = (
  state: State,
  nowMs: number,
  options: { readonly columns: number; readonly rowsMax: number; readonly views?: readonly RunView[] },
): readonly Line[] => {
  const shown = (options.views ?? newest(runViews(state, nowMs))).slice(0, options.rowsMax);
  return shown.length === 0
    ? []
    : layoutTable(
        COLUMNS,
        shown.map(view => cellsOf(state, view)),
        options.columns,
      );
};

/** Those that go on, and one that has ended. */
const newest = (views: readonly RunView[]): readonly RunView[] => [
  ...views.filter(view => view.isLive),
  ...views.filter(view => !view.isLive).slice(0, 1),
];

const cellsOf = (state: State, view: RunView): readonly Line[] => {
  const { run } = view;
  const figures = view.progress?.figures ?? (isUnknown(run.figures) ? undefined : run.figures);
  const recent = view.isLive ? view.progress?.recent : undefined;
  const rate = (key: 'requestsPerSecond' | 'outputTokensPerSecond'): Line => {
    const perSecond = recent?.[key] ?? figures?.[key];
    return perSecond === undefined || isUnknown(perSecond)
      ? [UNKNOWN]
      : [part(figureText(formatRunFigure(RUN_RATES[key].unit, perSecond)))];
  };
  const key = headlineSeries(run);
  const p50 = figures?.series[key]?.percentiles['50'];
  return [
    [view.isLive ? part('● ', 'good') : part('– ', 'dim'), part(run.runId)],
    [part(isKnown(run.targetNode) ? nodeName(state, run.targetNode) : run.target)],
    [part(view.isLive ? formatClock(view.progress?.elapsedMs ?? 0) : view.state, 'dim')],
    rate('requestsPerSecond'),
    rate('outputTokensPerSecond'),
    [p50 === undefined ? UNKNOWN : part(`${seriesRow(key).shortLabel} p50 ${liveFigureText('ns', p50)}`)],
    [failurePart(figures) ?? verdictPart(figures?.client.verdict, view)],
  ];
};

const UNKNOWN = part(UNKNOWN_FIGURE.figure, 'dim');

/** What must be known of a run before whether its client kept up. */
const failurePart = (figures: RunFigures | undefined): Line[number] | undefined => {
  const failed = figures === undefined ? undefined : failureHeadline(figures);
  return failed === undefined ? undefined : part(failed.short, failed.isGrave ? 'bad' : 'caution');
};

const verdictPart = (verdict: ClientFigures['verdict'] | undefined, { state }: RunView): Line[number] => {
  if (verdict === undefined) return part('');
  const text = verdictText(verdict, state);
  if (verdict !== 'trustworthy') return part(text, 'caution');
  return part(text, text === verdict ? 'good' : 'dim');
};

const COLUMNS: readonly Column[] = [
  { title: '  Run', isNumber: false, widthMax: 26, rank: 0 },
  { title: 'Target', isNumber: false, widthMax: 28, rank: 2 },
  { title: 'State', isNumber: false, widthMax: 12, rank: 1 },
  { title: 'Requests', isNumber: true, widthMax: 14, rank: 0 },
  { title: 'Output', isNumber: true, widthMax: 14, rank: 0 },
  { title: '', isNumber: true, widthMax: 22, rank: 3 },
  { title: 'Verdict', isNumber: false, widthMax: 18, rank: 4 },
];
