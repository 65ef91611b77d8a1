// A running benchmark on one screen, or in one line if the output is not a terminal: a job's log, a pipe. Pure: the
// same view gives the same lines.

import { maximumOf } from '../core/extremes.ts';
import { formatAge, formatClock } from '../core/figure/duration.ts';
import {
  counted,
  figureText,
  formatCount,
  formatThreeDigits,
  ofCount,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import { SPOILED_MARK } from '../core/run/contamination.ts';
import { NO_FAILURES } from '../core/run/failure-groups.ts';
import { failureSentence } from '../core/run/failure-text.ts';
import type { ObjectiveAnswer } from '../core/run/judge-objective.ts';
import { RUN_RATES } from '../core/run/run-rates.ts';
import { HEADLINE_PERCENTILES, headlineSeries, seriesOf, seriesRow } from '../core/run/run-series.ts';
import { isOfSessions, loadLabel } from '../core/run/run-shape.ts';
import { lookUp, type MetricLookup } from '../core/run/snapshot.ts';
import { hasEnoughFor } from '../core/statistics/early-stopping.ts';
import { brokenLines, padded, textWidth } from '../core/text/columns.ts';
import { isUnknown, type Reported } from '../core/unknown.ts';
import { LIVE_AGENT_COLUMNS, liveAgentRemarks, liveAgentRows } from '../render/run/agent-rows.ts';
import { inTurnRows, liveSessionLine, liveTurnRows } from '../render/run/live-session-rows.ts';
import { estimateLabel, neededLabel, objectiveVerdict } from '../render/run/objective-labels.ts';
import {
  DASH_WORDS,
  dashLegend,
  dashText,
  TABLE_PERCENTILES,
  TOO_FEW,
} from '../render/run/percentile-text.ts';
import { clientLines } from './client-lines.ts';
import { hangingLine } from './layout.ts';
import { renderLogHistogram } from './log-histogram.ts';
import { bar } from './memory-facts.ts';
import { type Line, lineWidth, paint, part } from './part.ts';
import type { RenderOptions } from './render.ts';
import { type Column, layoutTable } from './table.ts';
import { liveFigureText, progressOf, type RunHead, type WatchedRun } from './watched-run.ts';

interface RunRenderOptions extends RenderOptions {
  /** Of the terminal; what does not fit loses the empty lines first, then the histogram. */
  readonly rows: number;
}

export const renderRun = (view: WatchedRun, options: RunRenderOptions): readonly string[] => {
  const { columns, rows } = options;
  const metrics = lookUp(view.snapshot);
  const notices = view.notices.map((notice): Line => [part(notice, 'caution')]);
  const spoiled = view.spoiled.flatMap(line => spoiledLines(line, columns));
  const head = [...headLines(view), progressLine(view, metrics, columns)];
  const agents = agentLines(view, columns);
  const below = [
    agents,
    [...errorLines(view, columns), ...clientLines(metrics, view.snapshot?.bounds)],
    spoiled,
    notices,
  ];
  const figures = [
    [...rateLines(view, metrics), ...sessionLines(view, columns), ...objectiveLines(view, columns)],
    seriesTable(metrics, columns),
  ];
  const whole = (lines: readonly Line[]): readonly Line[] =>
    lines.flatMap(line => hangingLine(line, columns));
  const [top, under] = [[head, ...figures].map(whole), below.map(whole)];
  const all = [...top, histogramLines(view.run, metrics, columns), ...under].filter(
    ({ length }) => length > 0,
  );
  const parts = all.flat().length <= rows ? all : [...top, ...under];
  const isSpaced = all.flat().length + all.length - 1 <= rows;
  const lines = parts.flatMap((lines, index) => (isSpaced && index > 0 ? [[], ...lines] : lines));
  return lines.map(line => paint(line, options));
};

/** "0:12 measuring · 412 issued · 400 completed · 4 failed · 34.2 req/s · TTFT p50 51 ms, p90 62 ms, p99 80 ms". */
export const renderRunLine = (view: WatchedRun): string => {
  const { recent, run } = view;
  const metrics = lookUp(view.snapshot);
  const { issued, completed, failed } = metrics.counts('measured');
  const rates = RECENT.map(key => {
    const rate = isUnknown(recent[key]) ? RUN_RATES[key].of({ metrics, run, objectives: [] }) : recent[key];
    return isUnknown(rate) || rate === 0 ? '' : `${formatThreeDigits(rate)} ${RUN_RATES[key].unit}`;
  });
  const key = headlineSeries(run);
  const series = metrics.series(key);
  const percentiles = HEADLINE_PERCENTILES.flatMap(percentile => {
    const value = series?.percentiles[percentile];
    if (value === undefined) return [];
    const text = hasEnoughFor(Number(percentile), series?.count ?? 0)
      ? liveFigureText(seriesRow(key).unit, value)
      : TOO_FEW;
    return [`p${percentile} ${text}`];
  });
  const parts = [
    `${formatClock(view.elapsedMs)} ${view.stage}`,
    `${issued} issued`,
    `${completed} completed`,
    failed > 0 ? `${failed} failed` : '',
    view.snapshot?.sessions === undefined
      ? ''
      : `sessions ${liveSessionLine(view.snapshot.sessions).replaceAll(' · ', ', ')}`,
    ...rates,
    ...objectiveParts(view),
    view.spoiled.length === 0
      ? ''
      : `${counted(view.spoiled.length, 'thing spoils', 'things spoil')} figures`,
    percentiles.length === 0 ? '' : `${seriesRow(key).shortLabel} ${percentiles.join(', ')}`,
  ];
  return parts
    .filter(text => text !== '')
    .join(' · ')
    .replace(/[\u00a0\u202f]/g, ' ');
};

/** "ttft.p95=500ms met so far: 312 ms (295 ms to 340 ms)". */
const objectiveParts = ({ snapshot }: WatchedRun): readonly string[] =>
  (snapshot?.objectives ?? []).map(
    answer =>
      `${answer.objective} ${objectiveVerdict(answer, 'live')}: ${estimateLabel(answer)}${neededLabel(answer)}`,
  );

const headLines = ({ run, stage }: WatchedRun): readonly Line[] => [
  [part(run.target, 'strong'), part(` · ${modelText(run.model)} · ${loadLabel(run)}`)],
  [
    part(`run ${run.id} · ${run.isStreaming ? 'streaming' : 'not streaming'} · `, 'dim'),
    part(stage, stage === 'stopping' ? 'caution' : 'plain'),
  ],
];

const modelText = (model: RunHead['model']): string =>
  isUnknown(model) ? `model unknown (${model.reason})` : model;

const progressLine = (view: WatchedRun, metrics: MetricLookup, columns: number): Line => {
  const { share, leftMs } = progressOf(view);
  const { completed, failed, cancelled } = metrics.counts('measured');
  const { samplesMax, durationMs } = view.run.limits;
  const done =
    samplesMax === undefined
      ? `${formatClock(view.elapsedMs)}${durationMs === undefined ? '' : ` of ${formatClock(durationMs)}`}`
      : isOfSessions(view.run.shape)
        ? `${counted(completed + failed + cancelled, 'request')}, until ${counted(samplesMax, 'session')} ${ofCount(samplesMax, 'is', 'are')} over, ${formatClock(view.elapsedMs)}`
        : `${formatCount(completed + failed + cancelled)} of ${counted(samplesMax, 'request')}, ${formatClock(view.elapsedMs)}`;
  const left = leftMs === undefined || view.stage !== 'measuring' ? '' : ` · ${formatClock(leftMs)} left`;
  return [...bar(share, Math.max(10, Math.min(30, columns - 50))), part(` ${done}${left}`)];
};

const rateLines = ({ run, recent, snapshotAgeMs }: WatchedRun, metrics: MetricLookup): readonly Line[] => {
  const { completed, failed, cancelled, unresolved } = metrics.counts('measured');
  const isLate = snapshotAgeMs !== undefined && snapshotAgeMs > LATE_MS;
  const late: Line = isLate
    ? [part(` · figures ${figureText(formatAge(snapshotAgeMs))} old`, 'caution')]
    : [];
  return [
    ...RECENT.map((key, index): Line => {
      const { label, of } = RUN_RATES[key];
      return [
        name(label),
        part(rateText(of({ metrics, run, objectives: [] })), 'strong'),
        ...(isUnknown(recent[key]) ? [] : [part(' · now ', 'dim'), part(rateText(recent[key]))]),
        ...(index === 0 ? late : []),
      ];
    }),
    [
      name('samples'),
      part(`${formatCount(completed)} completed · `),
      part(`${formatCount(failed)} failed`, failed > 0 ? 'bad' : 'plain'),
      part(` · ${formatCount(Math.max(0, unresolved))} in flight`),
      ...(cancelled > 0 ? [part(` · ${formatCount(cancelled)} cancelled`)] : []),
    ],
  ];
};

/** "sessions  8 running · 30 completed", then which turn they are in, and the first turns against later ones. */
const sessionLines = ({ snapshot }: WatchedRun, columns: number): readonly Line[] => {
  const sessions = snapshot?.sessions;
  if (sessions === undefined) return [];
  const inTurn = inTurnRows(sessions).map(({ turn, count }) => `turn ${turn}: ${formatCount(count)}`);
  const turns = liveTurnRows(sessions).map(
    ([of = '', , , , p50 = '', p90 = '', cached = '']) =>
      `${of} turns p50 ${p50}, p90 ${p90}${cached === '–' ? '' : `, ${cached} cached`}`,
  );
  const room = columns - NAME_WIDTH - 4;
  return [
    [name('sessions'), part(liveSessionLine(sessions))],
    ...(inTurn.length === 0 ? [] : [[name(''), part(inTurn.join(' · '), 'dim')]]),
    ...brokenLines(turns.join(' · '), room).map(
      (line, at): Line => [name(at === 0 ? 'TTFT' : ''), part(line)],
    ),
  ];
};

/** "ttft.p95=500ms  met so far  312 ms (295 ms to 340 ms)", in columns. */
const objectiveLines = ({ snapshot, stage }: WatchedRun, columns: number): readonly Line[] => {
  const labelOf = (answer: ObjectiveAnswer): string =>
    objectiveVerdict(answer, stage === 'ended' ? stage : 'live');
  const answers = snapshot?.objectives ?? [];
  const widthOf = (texts: readonly string[]): number => maximumOf([0, ...texts.map(textWidth)]);
  const names = widthOf(answers.map(({ objective }) => objective));
  const verdicts = widthOf(answers.map(labelOf));
  return answers.flatMap(answer => {
    const head = [
      part(`  ${padded(answer.objective, names)}  `, 'dim'),
      part(padded(labelOf(answer), verdicts), VERDICT_TONES[answer.answer]),
    ];
    const reported = `${estimateLabel(answer)}${neededLabel(answer)}`;
    const room = columns - lineWidth(head) - 2;
    // The decisive part is at the end and must not be cut off.
    if (textWidth(reported) <= room) return [[...head, part(`  ${reported}`)]];
    return [head, ...brokenLines(reported, columns - 4).map((line): Line => [part(`    ${line}`)])];
  });
};

const name = (label: string): Line[number] => part(`  ${padded(label, NAME_WIDTH)}`, 'dim');

const rateText = (rate: Reported<number>): string =>
  isUnknown(rate) ? UNKNOWN_FIGURE.figure : formatThreeDigits(rate);

/** A series that only some requests have is shown once one of them has completed. */
const seriesTable = (metrics: MetricLookup, columns: number): readonly Line[] => {
  const hasCompleted = metrics.counts('measured').completed > 0;
  const rows = seriesOf('headline', 'detail').flatMap(key => {
    const series = metrics.series(key);
    if (series === undefined || (series.count === 0 && hasCompleted)) return [];
    const { unit, shortLabel } = seriesRow(key);
    const value = (figure: number | null | undefined): Line => [
      part(figure === null || figure === undefined ? dashText('none') : liveFigureText(unit, figure)),
    ];
    return [
      [
        [part(`  ${shortLabel}`)],
        value(series.count === 0 ? undefined : Number(series.total) / series.count),
        ...TABLE_PERCENTILES.map(percentile =>
          series.count === 0 || hasEnoughFor(Number(percentile), series.count)
            ? value(series.percentiles[percentile])
            : [part(dashText('few'))],
        ),
        value(series.max),
        [part(formatCount(series.count), 'dim')],
      ],
    ];
  });
  if (rows.length === 0) return [[part('  waiting for the first figures', 'dim')]];
  const lines = layoutTable(COLUMNS, rows, columns);
  const legend = dashLegend(
    DASH_WORDS.filter(word => lines.flat().some(({ text }) => text.trim() === dashText(word))),
  );
  return [...lines, ...(legend === '' ? [] : [[part(`  ${legend}`, 'dim')]])];
};

const histogramLines = (run: RunHead, metrics: MetricLookup, columns: number): readonly Line[] => {
  const key = headlineSeries(run);
  const series = metrics.series(key);
  return series === undefined ? [] : renderLogHistogram(series, seriesRow(key).shortLabel, columns);
};

/** The most frequent causes, each with the server's message. */
const errorLines = ({ snapshot }: WatchedRun, columns: number): readonly Line[] => {
  const { groups, others } = snapshot?.failures ?? NO_FAILURES;
  const lines = groups
    .slice(0, ERROR_GROUPS_MAX)
    .map(group => hangingLine([part('  failed  ', 'dim'), part(failureSentence(group), 'bad')], columns));
  // The first one whole, and of the others as many as leave room for the rest of the screen.
  const shown = lines.filter((_, at) => at === 0 || lines.slice(0, at + 1).flat().length <= ERROR_LINES_MAX);
  const more = groups.length - shown.length + (others === undefined ? 0 : 1);
  return [
    ...shown.flat(),
    ...(more > 0 ? [[part(`          … ${counted(more, 'more reason')}`, 'dim')]] : []),
  ];
};

const agentLines = ({ snapshot }: WatchedRun, columns: number): readonly Line[] => {
  const agents = snapshot?.agents ?? [];
  if (agents.length === 0) return [];
  const rows = liveAgentRows(agents).map((cells, index) =>
    cells.map((cell, at): Line => {
      const isBad = at === cells.length - 1 && agents[index]?.reason !== '';
      return [part(at === 0 ? `  ${cell}` : cell, isBad ? 'caution' : 'plain')];
    }),
  );
  const remarks = liveAgentRemarks(agents).map((text): Line => [part(`  ${text}`, 'caution')]);
  return [...layoutTable(AGENT_TABLE, rows, columns), ...remarks];
};

/** In full, at any length: the advice is at the end. */
const spoiledLines = (text: string, columns: number): readonly Line[] =>
  brokenLines(text, columns - 4).map(
    (line, at): Line => [part(`  ${at === 0 ? SPOILED_MARK.trim() : ' '} ${line}`, 'caution')],
  );

const tail = (title: string, rank: number): Column => ({ title, isNumber: true, widthMax: 12, rank });

/** The higher, the sooner a narrow terminal leaves it out. */
const PERCENTILE_RANKS = { '50': 0, '90': 1, '95': 2, '99': 1 } as const;

const COLUMNS: readonly Column[] = [
  { title: '', isNumber: false, widthMax: 24, rank: 0 },
  tail('mean', 2),
  ...TABLE_PERCENTILES.map(percentile => tail(`p${percentile}`, PERCENTILE_RANKS[percentile])),
  tail('max', 2),
  tail('n', 3),
];

const AGENT_TABLE: readonly Column[] = LIVE_AGENT_COLUMNS.map((title, index) => ({
  title: index === 0 ? `  ${title}` : title,
  isNumber: index > 0,
  widthMax: 32,
  rank: [0, 2, 1, 1, 3, 0, 0][index] ?? 0,
}));

/** Series that are also shown for the last seconds. */
const RECENT = ['requestsPerSecond', 'outputTokensPerSecond'] as const;
const ERROR_GROUPS_MAX = 3;
const ERROR_LINES_MAX = 6;
const NAME_WIDTH: number = maximumOf(RECENT.map(key => RUN_RATES[key].label.length)) + 2;
const VERDICT_TONES = { met: 'good', missed: 'bad', 'too-few-samples': 'plain' } as const;
/** Snapshots come five times a second. */
const LATE_MS = 1_500;
