// The tables of a run's report and its folded parts: every figure that a reader may want to look up.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import {
  counted,
  formatBytes,
  formatCount,
  formatFinePercent,
  UNKNOWN_FIGURE,
} from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText, unboundedReason, unboundedText } from '../../core/run/figure-verdict.ts';
import { finishRows } from '../../core/run/finish-name-tally.ts';
import { seedText } from '../../core/run/foreign-run.ts';
import { failureKindRows } from '../../core/run/outcome.ts';
import type { LatenessFigures, Report, ReportSeries } from '../../core/run/report.ts';
import { RUN_RATES } from '../../core/run/run-rates.ts';
import { SERIES_KEYS, type SeriesKey, seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { graceRows, loadLabel, nameLabel } from '../../core/run/run-shape.ts';
import { zeroCount } from '../../core/statistics/log-buckets.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { fromText } from '../../render/run/agent-rows.ts';
import { formatRunFigure } from '../../render/run/format-run-figure.ts';
import { INTERVAL_NOTE, intervalText, TOO_FEW, vouchedPercentile } from '../../render/run/percentile-text.ts';
import { provenanceRows } from '../../render/run/provenance-rows.ts';
import {
  isSendTailReported,
  objectiveLines,
  percentText,
  whyNoRow,
} from '../../render/run/report-summary.ts';
import { runSections } from '../../render/run/run-sections.ts';
import { lengthRows, promptsText, tokenRows } from '../../render/run/text-requests.ts';
import { type Markup, type MarkupValue, markup } from '../../render/text/markup.ts';
import { figureCell, folded, foldedList, pageSection, sectionMarkup, table } from './page-parts.ts';

/** Each objective with its result and certainty; for a version that judged none, how many requests met it. */
export const runObjectives = (report: Report): Markup | undefined => {
  const lines = objectiveLines(report);
  return lines.length === 0
    ? undefined
    : markup`<ul class="objectives">${lines.map(line => markup`<li>${line}</li>`)}</ul>`;
};

/** Meaning of the marks next to figures. */
export const spoiledFigures = (report: Report): Markup | undefined => {
  const lines = contaminationLines(report);
  return lines.length === 0
    ? undefined
    : markup`<ul class="objectives" aria-label="Contamination of figures">${lines.map(line => markup`<li>${SPOILED_MARK.trim()} ${capitalized(line)}</li>`)}</ul>`;
};

export const runTables = (report: Report): Markup => {
  const times = SERIES_KEYS.filter(key => seriesRow(key).unit === 'ns' && seriesRow(key).level !== 'client');
  const others = SERIES_KEYS.filter(key => seriesRow(key).unit !== 'ns');
  const gaps = report.series.chunkGapNs;
  const merged = gaps === undefined ? 0 : zeroCount(gaps);
  return markup`${pageSection({
    title: 'Times',
    remark:
      'over completed requests. “At most”: with 99 % confidence, p99 is no higher (MLPerf early stopping)',
    content: markup`${seriesTable('Times', report, times)}${unboundedLine(report)}${
      merged === 0
        ? undefined
        : markup`<p class="none">${formatCount(merged)} of ${formatCount(gaps?.count ?? 0)} gaps between chunks are 0: those chunks arrived together.</p>`
    }`,
  })}<div class="two">${pageSection({ title: 'Outcomes', content: outcomes(report) })}${pageSection({
    title: 'The load generator',
    content: loadGenerator(report),
  })}</div>${pageSection({ title: 'Tokens', content: seriesTable('Tokens', report, others) })}${runSections(report).map(sectionMarkup)}`;
};

const unboundedLine = ({ series, rateBounds }: Report): Markup | undefined => {
  const reason = unboundedReason(series, rateBounds);
  return reason === undefined
    ? undefined
    : markup`<p class="none">${capitalized(unboundedText(reason))}.</p>`;
};

const fromRows = (run: Report['run']): readonly (readonly [string, string])[] => {
  const from = fromText(run);
  return from === undefined ? [] : [['From', from]];
};

const seriesTable = (name: string, report: Report, keys: readonly SeriesKey[]): Markup => {
  const { series, contamination } = report;
  const rows = keys.flatMap(key => {
    const one = series[key];
    return one === undefined || one.count === 0
      ? []
      : [seriesCells(key, one, spoiling({ contamination }, key).length > 0)];
  });
  if (rows.length === 0) return markup`<p class="none">${capitalized(whyNoRow(report))}.</p>`;
  return table({ name, head: ['Series', 'p50', 'p90', 'p99', 'p99 at most', 'max', 'mean ± sd', 'n'], rows });
};

const seriesCells = (key: SeriesKey, one: ReportSeries, isSpoiled: boolean): readonly MarkupValue[] => {
  const shown = (value: number | null | undefined): Markup =>
    figureCell(value === null || value === undefined ? UNKNOWN_FIGURE : formatRunFigure(one.unit, value));
  const percentile = (name: string): Markup => {
    const vouched = vouchedPercentile(one, name);
    if (vouched.kind === 'value') return shown(vouched.value);
    if (vouched.kind === 'interval')
      return markup`${shown(vouched.value)}<span class="unit"> ${intervalText(one.unit, vouched)}</span>`;
    return vouched.kind === 'too-few' ? markup`–<span class="unit"> ${TOO_FEW}</span>` : markup`–`;
  };
  const boundOf = (p: string): Markup | undefined => {
    const bound = boundText(one.errorBound?.percentiles[p]);
    const isVouched = vouchedPercentile(one, p).kind === 'value';
    return bound === '' || !isVouched ? undefined : markup` <span class="unit">${bound}</span>`;
  };
  const bound = one.estimates?.['99'];
  return [
    `${capitalized(seriesRow(key).label)}${isSpoiled ? SPOILED_MARK : ''}`,
    ...['50', '90', '99'].map(p => markup`${percentile(p)}${boundOf(p)}`),
    bound === null || bound === undefined ? markup`–` : shown(bound),
    shown(one.max),
    markup`${shown(one.mean)}${one.stdDev === null ? undefined : markup` ± ${shown(one.stdDev)}`}`,
    formatCount(one.count),
  ];
};

const outcomes = (report: Report): Markup => {
  const { counts, warmup } = report;
  const row = (name: string, count: number): readonly MarkupValue[] => [
    name,
    formatCount(count),
    markup`<span class="unit">${counts.issued === 0 ? '–' : percentText(count / counts.issued)}</span>`,
  ];
  return table({
    name: 'Outcomes',
    head: [],
    rows: [
      row('Issued', counts.issued),
      row('Completed', counts.completed),
      ...(counts.failed === 0 ? [row('Failed', 0)] : []),
      ...failureKindRows(report).map(([kind, count]) => row(`Failed: ${kind}`, count)),
      row('Cancelled', counts.cancelled),
      row('Unresolved', counts.unresolved),
      ...(warmup.issued > 0 ? [['Warm-up, not counted', formatCount(warmup.issued), '']] : []),
      ...finishRows(report).map(([reason, count]) => [`Finish reason: ${reason}`, formatCount(count), '']),
    ],
  });
};

const loadGenerator = (report: Report): Markup => {
  const { client, droppedEvents } = report;
  const ns = (value: number): Markup => figureCell(formatMeasuredNanoseconds(value));
  const share = (value: number): Markup => figureCell(formatFinePercent(value));
  const p99 = (value: LatenessFigures | Unknown): Markup =>
    isUnknown(value) ? reasonCell(value) : ns(value.p99);
  const known = (value: Reported<number>, format: (value: number) => Markup): Markup =>
    isUnknown(value) ? reasonCell(value) : format(value);
  const { opened, reused, stale } = client.connections;
  return table({
    name: 'The load generator',
    head: [],
    rows: [
      [
        'Send lateness p99',
        isSendTailReported(report) ? p99(client.sendLatenessNs) : reasonCell(unknown(TOO_FEW)),
      ],
      ['Read lateness p99', p99(client.readLatenessNs)],
      ['Event loop delay p99', p99(client.eventLoopDelayNs)],
      ['Heartbeat lateness p99', p99(client.beatLatenessNs)],
      [
        'Garbage collection, total',
        isUnknown(client.gcPauseNs) ? reasonCell(client.gcPauseNs) : ns(client.gcPauseNs.total),
      ],
      ['Busiest thread, of a core', known(client.cpuShare, share)],
      ['Records lost', formatCount(droppedEvents)],
      [
        'Connections opened, reused, stale',
        `${formatCount(opened)}, ${formatCount(reused)}, ${formatCount(stale)}`,
      ],
    ],
  });
};

const reasonCell = ({ reason }: Unknown): Markup => markup`–<span class="unit"> ${reason}</span>`;

export const runDetails = (report: Report): Markup => {
  const { run, environment, plimsoll, bytes } = report;
  const reported = (value: string | Unknown): string =>
    isUnknown(value) ? `unknown: ${value.reason}` : value;
  return markup`<div class="folded">${foldedList('Notices', report.notices)}${folded('What the words mean', DEFINITIONS)}${folded(
    'All settings and the environment',
    [
      ...(nameLabel(run) === '' ? [] : [['Name', nameLabel(run)] as const]),
      ['Target', `${run.target}, ${run.streaming ? 'streamed' : 'not streamed'}`],
      ...fromRows(run),
      ['Server', reported(run.serverKind)],
      ['API', reported(run.api)],
      ['Model', reported(run.model)],
      ['Load', `${loadLabel(run)}${seedText(run)}, ${counted(run.warmupRequests, 'request')} to warm up`],
      ...[
        ...tokenRows(run, { input: report.series.inputTokens, output: report.series.outputTokens }),
        ...lengthRows(report),
        ...graceRows(run),
      ].map(([name, text]) => [capitalized(name), text] as const),
      ['Prompts', promptsText(run)],
      ['Bytes', `${bytesText(bytes.sent)} sent, ${bytesText(bytes.received)} received`],
      [
        'Client',
        `${environment.cpu}, ${counted(environment.cores, 'core')}, ${environment.os}, Node ${environment.node}`,
      ],
      ...provenanceRows(report.provenance).map(([name, text]) => [capitalized(name), text] as const),
      ...(isUnknown(run.command) ? [] : [['Again', markup`<code>${run.command}</code>`] as const]),
      ['Plimsoll', `${plimsoll.version}, schema ${report.schema}`],
      ['Figures from', SOURCES[report.source]],
    ],
  )}</div>`;
};

const bytesText = (bytes: number): string => {
  const { figure, unit } = formatBytes(bytes);
  return `${figure} ${unit}`;
};

const SOURCES: Readonly<Record<Report['source'], string>> = {
  'complete-message': 'the final account of the run',
  'final-snapshot-file': 'the final account of the run',
  'samples-file': 'the samples of the run, counted again',
  'live-snapshot': 'the last live figures of the run',
  nothing: 'nothing: no figures of the run were found',
};

const DEFINITIONS: readonly (readonly [string, string])[] = [
  ...seriesOf('headline', 'detail').map(key => {
    const { shortLabel, from, help } = seriesRow(key);
    return [capitalized(shortLabel), `${help} (${from})`] as const;
  }),
  [RUN_RATES.windowNs.shortLabel, `${RUN_RATES.windowNs.help} (${RUN_RATES.windowNs.from})`],
  [RUN_RATES.goodput.shortLabel, RUN_RATES.goodput.help],
  ['Failed requests', 'Are in no time and no rate. Nothing is retried silently.'],
  [
    'p99 at most',
    'MLPerf early stopping: with 99 % confidence p99 is no higher, for this number of samples. A tail of which too few samples were seen has a dash.',
  ],
  ['Percentiles of few requests', `${capitalized(INTERVAL_NOTE)}.`],
];
