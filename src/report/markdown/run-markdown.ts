// The report of a run in Markdown: short enough for a comment on a pull request or the summary of a CI job.

import { type DepthProfile, depthTestName } from '../../core/depth/depth-profile.ts';
import { figureText } from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK } from '../../core/run/contamination.ts';
import { seedText } from '../../core/run/foreign-run.ts';
import type { Report, ReportRun } from '../../core/run/report.ts';
import { seriesOf } from '../../core/run/run-series.ts';
import { loadLabel } from '../../core/run/run-shape.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { depthRemarks, plusMinusText } from '../../render/run/depth-text.ts';
import { failureSection } from '../../render/run/failure-rows.ts';
import { percentileSection } from '../../render/run/percentile-rows.ts';
import { provenanceRows } from '../../render/run/provenance-rows.ts';
import { objectiveLines, reportVerdict, summaryFigures } from '../../render/run/report-summary.ts';
import { runSections } from '../../render/run/run-sections.ts';
import { serverTimeSentence } from '../../render/run/server-times.ts';
import type { Section } from '../../render/section.ts';
import {
  boldCell,
  codeCell,
  documentMarkdown,
  markdownCode,
  markdownList,
  markdownTable,
  markdownText,
  sectionMarkdown,
} from './markdown-text.ts';

export const runMarkdown = (report: Report): string => {
  const { run } = report;
  const { headline, reasons, tone } = reportVerdict(report);
  const failures = failureSection(report);
  const serverTime = serverTimeSentence(report);
  // One that is 0 throughout, such as send lateness in closed loop, is only in the whole report.
  const shownSeries = seriesOf('headline', 'detail').filter(key => report.series[key]?.max !== 0);
  return documentMarkdown({
    heading: `${tone === 'good' ? '' : '⚠ '}${markdownText(headline)}`,
    lead: [
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
      ...sectionMarkdown(percentileSection(report, 'Times', shownSeries)),
      ...markdownList(serverTime === undefined ? [] : [capitalized(serverTime)]),
    ],
    sections: [...runSections(report), contaminationOf(report)],
    facts: [
      ['Run', codeCell(run.id)],
      ['Model', isUnknown(run.model) ? 'unknown' : codeCell(run.model)],
      ['Target', codeCell(run.target)],
      ['Load', `${loadLabel(run)}${seedText(run)}`],
      ['Prompts', codeCell(run.dataset)],
      ['Plimsoll', codeCell(report.plimsoll.version)],
      ...provenanceRows(report.provenance).map(
        ([name, text]) => [capitalized(name), codeCell(text)] as const,
      ),
    ],
    remarks: report.notices.slice(0, NOTICES_SHOWN_MAX),
  });
};

const contaminationOf = (report: Report): Section => ({
  key: 'contamination',
  title: 'Contamination of figures',
  remarks: contaminationLines(report).map(line => `${SPOILED_MARK.trim()} ${capitalized(line)}`),
});

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
