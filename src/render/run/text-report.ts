// A report as text: the part that fits on a screen first, with reasons for distrust at its top, then everything.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import {
  FAILURE_COLUMNS,
  failureRows,
  outageLead,
  outageLines,
  unsuccessfulEndLines,
} from '../../core/run/failure-text.ts';
import { boundText } from '../../core/run/figure-verdict.ts';
import { finishRows } from '../../core/run/finish-name-tally.ts';
import { failureKindRows } from '../../core/run/outcome.ts';
import { rateBoundText } from '../../core/run/rate-bounds.ts';
import type { Report } from '../../core/run/report.ts';
import { RATE_KEYS, type RateKey, RUN_RATES, rateRow } from '../../core/run/run-rates.ts';
import { seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { inColumns } from '../../core/text/columns.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import { isUnknown, knownOr, type Unknown } from '../../core/unknown.ts';
import { sectionLines } from '../section.ts';
import { asciiOf } from '../text/ascii.ts';
import { objectiveSentence } from './objective-labels.ts';
import { runSections } from './run-sections.ts';
import { shortReport } from './short-report.ts';
import { settingRows } from './text-requests.ts';
import { seriesBlocks, seriesTable } from './text-series.ts';

interface TextReportOptions {
  /** false: only ASCII. */
  readonly isUnicode: boolean;
  /** After the first screen, everything that the report contains. */
  readonly isFull: boolean;
}

export const renderReport = (report: Report, { isUnicode, isFull }: TextReportOptions): readonly string[] => {
  const lines = [...shortReport(report), ...(isFull ? ['', '', ...everything(report)] : [])];
  return lines.map(line => {
    // Names of models and targets come from outside, and must not send control sequences to a terminal.
    const text = showable(line, '?');
    return isUnicode ? text : asciiOf(text);
  });
};

const everything = (report: Report): readonly string[] => [
  ...failures(report),
  'How it was run',
  ...inColumns(settingRows(report)),
  '',
  ...counts(report),
  '',
  ...rates(report),
  ...objectives(report),
  '',
  ...seriesTable(report),
  ...seriesBlocks(report),
  ...tally('Errors', failureKindRows(report)),
  ...tally('Finish reasons', finishRows(report)),
  ...runSections(report).flatMap(sectionLines),
  ...list('Contamination of figures', contaminationLines(report)),
  ...list('Notices', report.notices),
  '',
  ...DEFINITIONS,
];

const failures = (report: Report): readonly string[] => {
  const { failures: known } = report;
  if (isUnknown(known) || known.groups.length === 0) return [];
  const advice = new Set(known.groups.map(group => failureAdvice(group, adviceContext(report))));
  return [
    'Why requests failed',
    ...inColumns([FAILURE_COLUMNS, ...failureRows(known)]),
    ...[...advice].filter(text => text !== '').map(text => `  → ${text}`),
    ...(known.outages.length === 0 ? [] : list(outageLead(known.outages), outageLines(known.outages))),
    ...unsuccessfulEndLines(known).map(text => `  ${text}`),
    '',
  ];
};

type Pair = readonly [name: string, text: string];

const counts = ({ counts: measured, warmup }: Report): readonly string[] => {
  const row = (name: string, of: Report['counts']): readonly string[] => [
    name,
    ...[of.issued, of.completed, of.failed, of.cancelled, of.unresolved].map(formatCount),
  ];
  return inColumns(
    [
      ['samples', 'issued', 'completed', 'failed', 'cancelled', 'unresolved'],
      row('measured', measured),
      ...(warmup.issued > 0 ? [row('outside', warmup)] : []),
    ],
    { hasFigures: true },
  );
};

const rates = (report: Report): readonly string[] => {
  const user = report.perUserTokensPerSecond;
  return inColumns(
    RATE_KEYS.flatMap((key): readonly Pair[] => {
      const { label: name, unit } = rateRow(key);
      const label = `${name}${spoiling(report, key).length > 0 ? SPOILED_MARK : ''}`;
      const bound = rateBoundLabel(report.rateBounds, key);
      if (key === 'perUserTokensPerSecond')
        return [
          [`${label}, p50`, `${rate(user.p50)}${bound}`],
          [`${label}, p90`, rate(user.p90)],
        ];
      const value = report[key];
      // In a run without a plateau all three would repeat it.
      if (value === undefined || (key.startsWith('steadyState') && isUnknown(report.steadyStateWindowNs)))
        return [];
      return [[label, `${unit === 'ns' ? time(value) : rate(value)}${bound}`]];
    }),
  );
};

/** " ±0.021", or why it has none if the others of the run have one. */
const rateBoundLabel = (bounds: Report['rateBounds'], key: RateKey): string => {
  const bound = isUnknown(bounds) ? undefined : bounds[key];
  if (bound === undefined) return '';
  if (isUnknown(bound)) return ` (bound unknown: ${bound.reason})`;
  return ` ${key === 'windowNs' ? boundText(bound) : rateBoundText(bounds, key)}`;
};

const rate = (value: number | Unknown): string => {
  if (isUnknown(value)) return `unknown: ${value.reason}`;
  return formatThreeDigits(value);
};

const time = (ns: number | Unknown): string =>
  isUnknown(ns) ? `unknown: ${ns.reason}` : figureText(formatMeasuredNanoseconds(ns));

const objectives = (report: Report): readonly string[] => [
  ...knownOr(report.objectiveAnswers, []).map(answer => `  objective ${objectiveSentence(answer)}`),
  ...(report.objectives ?? []).map(
    ({ name, limitNs, metSamples, samples }) =>
      `  objective ${name} at most ${time(limitNs)}: met by ${formatCount(metSamples)} of ${formatCount(samples)}`,
  ),
];

const tally = (
  title: string,
  counts: readonly (readonly [name: string, count: number])[],
): readonly string[] =>
  counts.length === 0
    ? []
    : sectionLines({
        key: title,
        title,
        tables: [
          { name: title, columns: [], rows: counts.map(([name, count]) => [name, formatCount(count)]) },
        ],
      });

const list = (title: string, remarks: readonly string[]): readonly string[] =>
  remarks.length === 0 ? [] : sectionLines({ key: title, title, remarks });

const definition = (label: string, help: string): string => `${capitalized(label)}: ${help}`;

const DEFINITIONS: readonly string[] = [
  'Times start when the request is written; stamps are taken where bytes arrive, before parsing.',
  ...seriesOf('headline').map(key => definition(seriesRow(key).label, seriesRow(key).help)),
  definition(RUN_RATES.windowNs.label, RUN_RATES.windowNs.help),
  'Failed requests are in no series and no rate; "failures as ∞" counts each as longer than any other. "99% confident" is the',
  'early-stopping estimate: with 99% confidence the true percentile is no higher.',
  'All definitions: docs/metrics.md.',
];
