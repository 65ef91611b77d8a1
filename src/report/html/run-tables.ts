// The tables of a run's report and its folded parts: every figure that a reader may want to look up.

import { contaminationLines, SPOILED_MARK } from '../../core/run/contamination.ts';
import type { Report } from '../../core/run/report.ts';
import { SERIES_KEYS, seriesRow } from '../../core/run/run-series.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { fromText } from '../../render/run/agent-rows.ts';
import { PERCENTILES_NOTE, percentileSection } from '../../render/run/percentile-rows.ts';
import { objectiveLines } from '../../render/run/report-summary.ts';
import { RUN_DEFINITIONS } from '../../render/run/run-definitions.ts';
import { runSections } from '../../render/run/run-sections.ts';
import { scenarioLines } from '../../render/run/scenario-rows.ts';
import { settingRows } from '../../render/run/text-requests.ts';
import { type Markup, markup } from '../../render/text/markup.ts';
import { folded, foldedList, sectionMarkup } from './page-parts.ts';

/**
 * Whether it is valid by its scenario, and each objective with its result and certainty; for a version that judged none, how
 * many requests met it.
 */
export const runObjectives = (report: Report): Markup | undefined => {
  const lines = [...scenarioLines(report), ...objectiveLines(report)];
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
  return markup`${sectionMarkup({ ...percentileSection(report, 'Times', times), note: PERCENTILES_NOTE })}${sectionMarkup(percentileSection(report, 'Tokens', others))}<div class="details">${sections.filter(({ isDetail }) => isDetail === true).map(section => sectionMarkup(section))}</div>${sections.filter(({ isDetail }) => isDetail !== true).map(section => sectionMarkup(section))}`;
};

const fromRows = (run: Report['run']): readonly (readonly [string, string])[] => {
  const from = fromText(run);
  return from === undefined ? [] : [['From', from]];
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
