// A report as text: the part that fits on a screen first, with reasons for distrust at its top, then everything.

import { contaminationLines } from '../../core/run/contamination.ts';
import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import {
  FAILURE_COLUMNS,
  failureRows,
  outageLead,
  outageLines,
  unsuccessfulEndLines,
} from '../../core/run/failure-text.ts';
import type { Report } from '../../core/run/report.ts';
import { RUN_RATES } from '../../core/run/run-rates.ts';
import { seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { inColumns } from '../../core/text/columns.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
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
  ...objectives(report),
  '',
  ...seriesTable(report),
  ...seriesBlocks(report),
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

const objectives = (report: Report): readonly string[] =>
  knownOr(report.objectiveAnswers, []).map(answer => `  objective ${objectiveSentence(answer)}`);

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
