// The benchmarks that run now, and the newest that has ended, as a table.

import { formatClock, formatNanoseconds } from '../core/figure/duration.ts';
import { figureText, formatThreeDigits, UNKNOWN_FIGURE } from '../core/figure/figure.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { ClientFigures } from '../core/run/run.ts';
import type { RunView } from '../core/run/run-selectors.ts';
import { runViews } from '../core/run/run-selectors.ts';
import { verdictText } from '../core/run/verdict-scope.ts';
import type { State } from '../core/state.ts';
import { isKnown, isUnknown, knownOr } from '../core/unknown.ts';
import type { Line } from './part.ts';
import { part } from './part.ts';
import type { Column } from './table.ts';
import { layoutTable } from './table.ts';

/** None where nothing was ever run. */
export const runTable = (
  state: State,
  nowMs: number,
  options: { readonly columns: number; readonly rowsMax: number },
): readonly Line[] => {
  const views = runViews(state, nowMs);
  const live = views.filter(view => view.isLive);
  const shown = [...live, ...views.filter(view => !view.isLive).slice(0, 1)].slice(0, options.rowsMax);
  return shown.length === 0
    ? []
    : layoutTable(
        COLUMNS,
        shown.map(view => cellsOf(state, view)),
        options.columns,
      );
};

const cellsOf = (state: State, view: RunView): readonly Line[] => {
  const { run } = view;
  const figures = view.progress?.figures ?? (isUnknown(run.figures) ? undefined : run.figures);
  const recent = view.isLive ? view.progress?.recent : undefined;
  const rate = knownOr(recent?.requestsPerSecond ?? figures?.requestsPerSecond ?? 0, undefined);
  const tokens = knownOr(recent?.outputTokensPerSecond ?? figures?.outputTokensPerSecond ?? 0, undefined);
  const [name, label] = run.isStreaming ? (['ttftNs', 'TTFT'] as const) : (['latencyNs', 'latency'] as const);
  const p50 = figures?.series[name]?.percentiles['50'];
  return [
    [view.isLive ? part('● ', 'good') : part('– ', 'dim'), part(run.runId)],
    [part(isKnown(run.targetNode) ? nodeName(state, run.targetNode) : run.target)],
    [part(view.isLive ? formatClock(view.progress?.elapsedMs ?? 0) : view.state, 'dim')],
    figure(figures === undefined || rate === undefined ? undefined : `${formatThreeDigits(rate)} req/s`),
    figure(figures === undefined || tokens === undefined ? undefined : `${formatThreeDigits(tokens)} tok/s`),
    figure(p50 === undefined ? undefined : `${label} p50 ${figureText(formatNanoseconds(p50))}`),
    [verdictPart(figures?.client.verdict, view)],
  ];
};

const figure = (text: string | undefined): Line =>
  text === undefined ? [part(UNKNOWN_FIGURE.figure, 'dim')] : [part(text)];

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
