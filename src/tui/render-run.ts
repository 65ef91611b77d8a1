// A running benchmark on one screen. Pure: the same view gives the same lines.

import { formatAge, formatClock } from '../core/figure/duration.ts';
import { figureText, formatCount, formatPercent, formatThreeDigits } from '../core/figure/figure.ts';
import { FAILURE_KINDS } from '../core/run/outcome.ts';
import { renderLogHistogram } from './log-histogram.ts';
import type { Line } from './part.ts';
import { clipped, paint, part } from './part.ts';
import { bar } from './reading-rows.ts';
import type { RenderOptions } from './render.ts';
import { SHOWN_PERCENTILES, SHOWN_SERIES, seriesValueText } from './run-figures.ts';
import type { RunView } from './run-view.ts';
import { counterOf, countsOf, modelText, patternText, progressOf, seriesOf } from './run-view.ts';
import type { Column } from './table.ts';
import { layoutTable } from './table.ts';

export interface RunRenderOptions extends RenderOptions {
  /** Of the terminal; what does not fit loses the empty lines first, then the histogram. */
  readonly rows: number;
}

export const renderRun = (view: RunView, options: RunRenderOptions): readonly string[] => {
  const { columns, rows } = options;
  const notices = view.notices.map((notice): Line => [part(clipped(notice, columns), 'caution')]);
  const head = [...headLines(view), progressLine(view, columns)];
  const below = [[...errorLines(view), ...clientLines(view)], notices];
  const figures = [rateLines(view), seriesTable(view, columns)];
  const all = [head, ...figures, histogramLines(view, columns), ...below].filter(({ length }) => length > 0);
  const parts = all.flat().length <= rows ? all : [head, ...figures, ...below];
  const isSpaced = all.flat().length + all.length - 1 <= rows;
  const lines = parts.flatMap((lines, index) => (isSpaced && index > 0 ? [[], ...lines] : lines));
  return lines.map(line => paint(line, options));
};

const headLines = ({ run, phase }: RunView): readonly Line[] => [
  [part(run.target, 'strong'), part(` · ${modelText(run.model)} · ${patternText(run.pattern)}`)],
  [
    part(`run ${run.id} · ${run.isStreaming ? 'streaming' : 'not streaming'} · `, 'dim'),
    part(phase, phase === 'stopping' ? 'caution' : 'plain'),
  ],
];

const progressLine = (view: RunView, columns: number): Line => {
  const { share, leftMs } = progressOf(view);
  const { issued, inFlight } = countsOf(view.snapshot);
  const { samplesMax, durationMs } = view.run.limits;
  const done =
    samplesMax === undefined
      ? `${formatClock(view.elapsedMs)}${durationMs === undefined ? '' : ` of ${formatClock(durationMs)}`}`
      : `${formatCount(issued - inFlight)} of ${formatCount(samplesMax)} requests, ${formatClock(view.elapsedMs)}`;
  const left = leftMs === undefined || view.phase !== 'measuring' ? '' : ` · ${formatClock(leftMs)} left`;
  return [...bar(share, Math.max(10, Math.min(30, columns - 50))), part(` ${done}${left}`)];
};

const rateLines = ({ snapshot, recent, snapshotAgeMs }: RunView): readonly Line[] => {
  const { completed, failed, cancelled, inFlight } = countsOf(snapshot);
  const seconds = counterOf(snapshot, 'windowNs') / 1e9;
  const perSecond = (total: number): string => (seconds > 0 ? formatThreeDigits(total / seconds) : '–');
  const outputTokens = Number(seriesOf(snapshot, 'outputTokens')?.total ?? 0);
  const now = (rate: number | undefined): Line =>
    rate === undefined ? [] : [part(' · now ', 'dim'), part(formatThreeDigits(rate))];
  const isLate = snapshotAgeMs !== undefined && snapshotAgeMs > LATE_MS;
  return [
    [
      part('  requests/s       ', 'dim'),
      part(perSecond(completed), 'strong'),
      ...now(recent?.requestsPerSecond),
      ...(isLate ? [part(` · figures ${figureText(formatAge(snapshotAgeMs))} old`, 'caution')] : []),
    ],
    [
      part('  output tokens/s  ', 'dim'),
      part(outputTokens > 0 ? perSecond(outputTokens) : '–', 'strong'),
      ...(outputTokens > 0 ? now(recent?.outputTokensPerSecond) : []),
    ],
    [
      part('  samples          ', 'dim'),
      part(`${formatCount(completed)} completed · `),
      part(`${formatCount(failed)} failed`, failed > 0 ? 'bad' : 'plain'),
      part(` · ${formatCount(inFlight)} in flight`),
      ...(cancelled > 0 ? [part(` · ${formatCount(cancelled)} cancelled`)] : []),
    ],
  ];
};

const seriesTable = ({ snapshot }: RunView, columns: number): readonly Line[] => {
  const rows = SHOWN_SERIES.flatMap(({ name, label }) => {
    const series = seriesOf(snapshot, name);
    if (series === undefined) return [];
    const value = (figure: number | null | undefined): Line => [
      part(figure === null || figure === undefined ? '–' : seriesValueText(series.unit, figure)),
    ];
    return [
      [
        [part(`  ${label}`)],
        ...SHOWN_PERCENTILES.map(percentile => value(series.percentiles[percentile])),
        value(series.max),
        [part(formatCount(series.count), 'dim')],
      ],
    ];
  });
  return rows.length === 0
    ? [[part('  waiting for the first figures', 'dim')]]
    : layoutTable(COLUMNS, rows, columns);
};

const histogramLines = ({ snapshot, run }: RunView, columns: number): readonly Line[] => {
  const [name, label] = run.isStreaming ? ['ttftNs', 'first token'] : ['latencyNs', 'latency'];
  const series = seriesOf(snapshot, name);
  return series === undefined ? [] : renderLogHistogram(series, label, columns);
};

const errorLines = ({ snapshot }: RunView): readonly Line[] => {
  const errors = FAILURE_KINDS.flatMap(kind => {
    const count = counterOf(snapshot, `errors.${kind}`);
    return count === 0 ? [] : [`${kind} ${formatCount(count)}`];
  });
  return errors.length === 0 ? [] : [[part('  errors  ', 'dim'), part(errors.join(' · '), 'bad')]];
};

const clientLines = ({ snapshot }: RunView): readonly Line[] => {
  if (counterOf(snapshot, 'client.observedNs') === 0) return [];
  const use = counterOf(snapshot, 'client.eventLoopUtilization');
  const dropped = counterOf(snapshot, 'droppedEvents');
  const isStarved =
    counterOf(snapshot, 'client.starvedNs') > STARVED_SHARE * counterOf(snapshot, 'client.observedNs');
  return [
    [
      part('  client  ', 'dim'),
      part(`busiest thread ${figureText(formatPercent(use))}`, use > BUSY ? 'caution' : 'plain'),
      part(`, ${formatThreeDigits(counterOf(snapshot, 'client.cpuShare'))} of a core`),
      ...(isStarved ? [part(' · starved', 'bad')] : []),
      ...(dropped > 0 ? [part(` · ${formatCount(dropped)} records lost`, 'bad')] : []),
    ],
  ];
};

const number = (title: string, rank: number): Column => ({ title, isNumber: true, widthMax: 12, rank });

const COLUMNS: readonly Column[] = [
  { title: '', isNumber: false, widthMax: 20, rank: 0 },
  number('p50', 0),
  number('p90', 1),
  number('p99', 1),
  number('max', 2),
  number('n', 3),
];

/** A thread that is busier than this adds its own lateness (reference: 0.83 at 95,000 events a second). */
const BUSY = 0.7;
const STARVED_SHARE = 0.05;
/** Snapshots come five times a second. */
const LATE_MS = 1_500;
