// The report of a run in Markdown: short enough for a comment on a pull request or the summary of a CI job.

import { type DepthProfile, depthTestName } from '../../core/depth/depth-profile.ts';
import { figureText, formatCount } from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText, unboundedReason, unboundedText } from '../../core/run/figure-verdict.ts';
import { seedText } from '../../core/run/foreign-run.ts';
import type { Report, ReportRun, ReportSeries } from '../../core/run/report.ts';
import { seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { loadLabel } from '../../core/run/run-shape.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { depthRemarks, plusMinusText } from '../../render/run/depth-text.ts';
import { failureSection } from '../../render/run/failure-rows.ts';
import { formatRunFigure } from '../../render/run/format-run-figure.ts';
import { percentileText, vouchedPercentile } from '../../render/run/percentile-text.ts';
import { provenanceRows } from '../../render/run/provenance-rows.ts';
import { objectiveLines, reportVerdict, summaryFigures, whyNoRow } from '../../render/run/report-summary.ts';
import { runSections } from '../../render/run/run-sections.ts';
import { serverTimeSentence } from '../../render/run/server-times.ts';
import {
  boldCell,
  codeCell,
  markdownCode,
  markdownList,
  markdownTable,
  markdownText,
  sectionMarkdown,
} from './markdown-text.ts';

export const runMarkdown = (report: Report): string => {
  const { run, series } = report;
  const { headline, reasons, tone } = reportVerdict(report);
  const failures = failureSection(report);
  const serverTime = serverTimeSentence(report);
  const percentiles = seriesOf('headline', 'detail').flatMap(key => {
    const one = series[key];
    if (one === undefined || one.count === 0 || one.max === 0) return [];
    const shown = (value: number | null | undefined): string =>
      value === null || value === undefined ? '–' : figureText(formatRunFigure(one.unit, value));
    return [
      [
        `${capitalized(seriesRow(key).shortLabel)}${spoiling(report, key).length > 0 ? SPOILED_MARK : ''}`,
        ...['50', '90', '99'].map(each => withBound(one, each)),
        shown(one.estimates?.['99']),
        shown(one.max),
        formatCount(one.count),
      ],
    ];
  });
  return `${[
    `## ${tone === 'good' ? '' : '⚠ '}${markdownText(headline)}`,
    '',
    ...markdownList(reasons.map(capitalized)),
    ...(failures === undefined ? [] : sectionMarkdown(failures)),
    ...markdownList(objectiveLines(report)),
    ...(report.depth === undefined ? [] : depthMarkdown(report.depth, run, report.calibration)),
    ...markdownTable(
      ['', '', ''],
      summaryFigures(report).map(({ name, value, isAtLeast, isSpoiled, remark }) => [
        isSpoiled ? `${name}${SPOILED_MARK}` : name,
        boldCell(`${isAtLeast ? 'at least ' : ''}${figureText(value)}`),
        remark,
      ]),
      { figures: [1] },
    ),
    '',
    ...(percentiles.length === 0
      ? [`${capitalized(whyNoRow(report))}.`]
      : markdownTable(['', 'p50', 'p90', 'p99', 'p99 at most', 'max', 'n'], percentiles)),
    '',
    ...markdownList(unboundedLines(report)),
    ...markdownList(serverTime === undefined ? [] : [capitalized(serverTime)]),
    ...runSections(report).flatMap(sectionMarkdown),
    ...markdownList(contaminationLines(report).map(line => `${SPOILED_MARK.trim()} ${capitalized(line)}`)),
    ...markdownTable(
      ['Run', codeCell(run.id)],
      [
        ['Model', isUnknown(run.model) ? 'unknown' : codeCell(run.model)],
        ['Target', codeCell(run.target)],
        ['Load', `${loadLabel(run)}${seedText(run)}`],
        ['Prompts', codeCell(run.dataset)],
        ['Plimsoll', codeCell(report.plimsoll.version)],
        ...provenanceRows(report.provenance).map(([name, text]) => [capitalized(name), codeCell(text)]),
      ],
      { figures: [] },
    ),
    '',
    ...markdownList(report.notices.slice(0, NOTICES_SHOWN_MAX)),
  ]
    .join('\n')
    .trimEnd()}\n`;
};

/** "80 ms ±0.4 ms": how far it may be off by the client. */
const withBound = (series: ReportSeries, percentile: string): string => {
  const isStated = vouchedPercentile(series, percentile).kind === 'value';
  const bound = isStated ? boundText(series.errorBound?.percentiles[percentile]) : '';
  return `${percentileText(series, percentile)}${bound === '' ? '' : ` ${bound}`}`;
};

const unboundedLines = ({ series, rateBounds }: Report): readonly string[] => {
  const reason = unboundedReason(series, rateBounds);
  return reason === undefined ? [] : [capitalized(unboundedText(reason))];
};

const NOTICES_SHOWN_MAX = 10;

// A depth profile in the format that users of llama-bench post, so that both can be in one table.
export const depthMarkdown = (
  profile: DepthProfile,
  { model, serverKind }: Pick<ReportRun, 'model' | 'serverKind'>,
  calibration?: Report['calibration'],
): readonly string[] => {
  const { plan, rows } = profile;
  const size = isUnknown(plan.sizeBytes) ? '–' : `${(plan.sizeBytes / GIBIBYTE).toFixed(2)} GiB`;
  const parameters = isUnknown(plan.parameters) ? '–' : `${(plan.parameters / BILLION).toFixed(2)} B`;
  return [
    ...markdownTable(
      ['model', 'size', 'params', 'backend', 'test', 't/s'],
      rows.map(row => [
        codeCell(knownOr(model, 'unknown')),
        size,
        parameters,
        knownOr(serverKind, 'unknown'),
        // "pp512 @ d4096" of figures alone, as llama-bench writes it.
        { markdown: depthTestName(row, plan) },
        plusMinusText(row.tokensPerSecond),
      ]),
    ),
    '',
    ...depthRemarks(profile, calibration).map(
      ({ test, text }) => `- ${markdownCode(test)}: ${markdownText(text)}`,
    ),
    `- over HTTP, one request at a time, ± over ${plan.repetitions} repetitions; times to first token include the way there and back`,
    '',
  ];
};

const GIBIBYTE = 1024 ** 3;
const BILLION = 1e9;
