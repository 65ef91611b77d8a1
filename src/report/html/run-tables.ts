// The tables of a run's report and its folded parts: every figure that a reader may want to look up.

import { formatCount, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText, unboundedReason, unboundedText } from '../../core/run/figure-verdict.ts';
import type { Report, ReportSeries } from '../../core/run/report.ts';
import { SERIES_KEYS, type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import { zeroCount } from '../../core/statistics/log-buckets.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { fromText } from '../../render/run/agent-rows.ts';
import { formatRunFigure } from '../../render/run/format-run-figure.ts';
import { intervalText, TOO_FEW, vouchedPercentile } from '../../render/run/percentile-text.ts';
import { objectiveLines, whyNoRow } from '../../render/run/report-summary.ts';
import { RUN_DEFINITIONS } from '../../render/run/run-definitions.ts';
import { runSections } from '../../render/run/run-sections.ts';
import { settingRows } from '../../render/run/text-requests.ts';
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
  const sections = runSections(report);
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
  })}${pageSection({ title: 'Tokens', content: seriesTable('Tokens', report, others) })}<div class="details">${sections.filter(({ isDetail }) => isDetail === true).map(section => sectionMarkup(section))}</div>${sections.filter(({ isDetail }) => isDetail !== true).map(section => sectionMarkup(section))}`;
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

export const runDetails = (report: Report): Markup => {
  const { run, plimsoll } = report;
  return markup`<div class="folded">${foldedList('Notices', report.notices)}${folded('What the words mean', RUN_DEFINITIONS)}${folded(
    'All settings and the environment',
    [
      ...settingRows(report).map(([name, text]) => [capitalized(name), text] as const),
      ...fromRows(run),
      ...(isUnknown(run.command) ? [] : [['Again', markup`<code>${run.command}</code>`] as const]),
      ['Plimsoll', `${plimsoll.version}, schema ${report.schema}`],
      ['Figures from', SOURCES[report.source]],
    ],
  )}</div>`;
};

const SOURCES: Readonly<Record<Report['source'], string>> = {
  'complete-message': 'the final account of the run',
  'final-snapshot-file': 'the final account of the run',
  'samples-file': 'the samples of the run, counted again',
  'live-snapshot': 'the last live figures of the run',
  nothing: 'nothing: no figures of the run were found',
};
