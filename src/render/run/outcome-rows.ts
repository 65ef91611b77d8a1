// What became of the requests of a run, and how many a second: counts, errors, finish reasons, rates.

import { formatClock, formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatCount,
  formatFinePercent,
  formatThreeDigits,
} from '../../core/figure/figure.ts';
import { SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText } from '../../core/run/figure-verdict.ts';
import { finishRows } from '../../core/run/finish-name-tally.ts';
import { failureKindRows } from '../../core/run/outcome.ts';
import { rateBoundText } from '../../core/run/rate-bounds.ts';
import type { Report } from '../../core/run/report.ts';
import type { RunFigures } from '../../core/run/run.ts';
import { RATE_KEYS, type RateKey, rateRow } from '../../core/run/run-rates.ts';
import { isUnknown, type Reported, type Unknown } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';
import { percentText } from './report-summary.ts';

export const outcomeSection = ({ counts, warmup, bytes, objectives = [] }: Report): Section => {
  const row = (name: string, of: Report['counts']): readonly string[] => [
    name,
    ...OUTCOMES.map(outcome => formatCount(of[outcome])),
  ];
  return {
    key: 'outcomes',
    title: 'Outcomes',
    isDetail: true,
    tables: [
      {
        name: 'Outcomes',
        columns: ['samples', ...OUTCOMES],
        rows: [
          row('measured', counts),
          ['share', ...OUTCOMES.map(outcome => shareOf(counts[outcome], counts.issued))],
          ...(warmup.issued > 0 ? [row('outside', warmup)] : []),
        ],
      },
    ],
    remarks: [
      `${figureText(formatBytes(bytes.sent))} sent, ${figureText(formatBytes(bytes.received))} received`,
      ...objectives.map(
        ({ name, limitNs, metSamples, samples }) =>
          `objective ${name} at most ${time(limitNs)}: met by ${formatCount(metSamples)} of ${formatCount(samples)}`,
      ),
    ],
  };
};

const OUTCOMES = ['issued', 'completed', 'failed', 'cancelled', 'unresolved'] as const;

const shareOf = (count: number, issued: number): string => (issued === 0 ? '–' : percentText(count / issued));

export const errorSection = (report: Report): Section | undefined =>
  tallySection('errors', 'Errors', failureKindRows(report));

/** Of a run on its page: the newest detail of each kind. */
export const failureKindSection = (
  { counts, errors }: Pick<RunFigures, 'counts' | 'errors'>,
  isLive: boolean,
): Section => {
  const ended = counts.completed + counts.failed + counts.cancelled;
  const share = ended === 0 ? '' : `, ${figureText(formatFinePercent(counts.failed / ended))}`;
  return {
    key: 'errors',
    title: 'Errors',
    count: `${formatCount(counts.failed)} of ${formatCount(ended)} ended${share}`,
    lead: errors.length > 0 ? [] : [isLive ? 'None yet' : 'None'],
    tables: withRows({
      name: 'Errors by kind',
      columns: ['kind', 'detail', 'n', 'last'],
      rows: errors.map(({ kind, detail, count, lastAtMs }) => [
        kind,
        isUnknown(detail) ? `– ${detail.reason}` : detail,
        formatCount(count),
        isUnknown(lastAtMs) ? '–' : formatClock(lastAtMs),
      ]),
      texts: [0, 1],
    }),
  };
};

export const finishSection = (report: Report): Section | undefined =>
  tallySection('finish-reasons', 'Finish reasons', finishRows(report));

const tallySection = (
  key: string,
  title: string,
  counts: readonly (readonly [name: string, count: number])[],
): Section | undefined =>
  counts.length === 0
    ? undefined
    : {
        key,
        title,
        isDetail: true,
        tables: [
          { name: title, columns: [], rows: counts.map(([name, count]) => [name, formatCount(count)]) },
        ],
      };

export const rateSection = (report: Report): Section => ({
  key: 'rates',
  title: 'Rates',
  isDetail: true,
  tables: [
    { name: 'Rates', columns: [], rows: RATE_KEYS.flatMap(key => rateRows(key, report)), texts: [0, 1] },
  ],
});

const rateRows = (key: RateKey, report: Report): readonly (readonly [name: string, text: string])[] => {
  const { label: name, unit } = rateRow(key);
  const label = `${name}${spoiling(report, key).length > 0 ? SPOILED_MARK : ''}`;
  const bounded = (value: Reported<number>, text: string): string =>
    isUnknown(value) ? text : `${text}${rateBoundLabel(report.rateBounds, key)}`;
  if (key === 'perUserTokensPerSecond') {
    const { p50, p90 } = report.perUserTokensPerSecond;
    return [
      [`${label}, p50`, bounded(p50, rate(p50))],
      [`${label}, p90`, rate(p90)],
    ];
  }
  const value = report[key];
  // In a run without a plateau all three would repeat it.
  if (value === undefined || (key.startsWith('steadyState') && isUnknown(report.steadyStateWindowNs)))
    return [];
  return [[label, bounded(value, unit === 'ns' ? time(value) : rate(value))]];
};

/** " ±0.021", or why it has none if the others of the run have one. */
const rateBoundLabel = (bounds: Report['rateBounds'], key: RateKey): string => {
  const bound = isUnknown(bounds) ? undefined : bounds[key];
  if (bound === undefined) return '';
  if (isUnknown(bound)) return ` (bound unknown: ${bound.reason})`;
  return ` ${key === 'windowNs' ? boundText(bound) : rateBoundText(bounds, key)}`;
};

const rate = (value: number | Unknown): string =>
  isUnknown(value) ? `unknown: ${value.reason}` : formatThreeDigits(value);

const time = (ns: number | Unknown): string =>
  isUnknown(ns) ? `unknown: ${ns.reason}` : figureText(formatMeasuredNanoseconds(ns));
