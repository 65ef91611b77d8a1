// `plimsoll report DIR --html FILE --csv FILE --md FILE`: a report in forms that leave this machine. "-" is standard output.

import { nonEmpty, type Option, value } from '../../core/option/option.ts';
import type { Report } from '../../core/run/report.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { samplesCsv } from '../../report/csv/samples-csv.ts';
import { type FontFace, fontFaces } from '../../report/html/page-style.ts';
import { runPage } from '../../report/html/run-page.ts';
import { runMarkdown } from '../../report/markdown/run-markdown.ts';
import { runOverTime } from '../../report/run-over-time.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { type Export, type Making, STANDARD_OUTPUT, writeExport } from './write-export.ts';

const fileOption = (name: string, meaning: string): Option<string | undefined> =>
  value({ name, valueName: 'FILE', meaning: `${meaning} FILE - is standard output.`, parse: nonEmpty });

const htmlOption = fileOption('html', 'Write one HTML file with charts: no script, nothing fetched.');
const csvOption = fileOption(
  'csv',
  'Write each request, stage of a line or sweep, segment of a comparison, or repeated run, as a line of CSV.',
);
export const markdownOption: Option<string | undefined> = fileOption(
  'md',
  'Write a short report in Markdown.',
);

export const EXPORT_OPTIONS: readonly Option<unknown>[] = [htmlOption, csvOption, markdownOption];

export interface ExportContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
}

interface ReportForms {
  readonly html: Making;
  readonly csv: Making;
  readonly markdown: Making;
}

/** What was written, a line each; undefined where no form was asked for. */
export const exportReport = async (
  directory: string,
  report: Report,
  context: ExportContext,
): Promise<string | undefined> => {
  const files = runFiles(directory);
  const { samples } = files;
  return await exportForms(context, {
    html: async () =>
      runPage({
        report,
        overTime: await runOverTime(files, { isStreaming: report.run.streaming }),
        fonts: await reportFonts(context.state),
      }),
    csv: () => samplesCsv(samples, report.run.from),
    markdown: () => Promise.resolve(runMarkdown(report)),
  });
};

export const reportFonts = async ({ dashboardDir }: ProcessState): Promise<readonly FontFace[]> =>
  dashboardDir === undefined ? [] : await fontFaces(dashboardDir);

export const exportForms = async (
  { invocation, state }: ExportContext,
  { html, csv, markdown }: ReportForms,
): Promise<string | undefined> => {
  const exports = [
    exportTo(invocation.option(htmlOption), html),
    exportTo(invocation.option(csvOption), csv),
    exportTo(invocation.option(markdownOption), markdown),
  ].flat();
  if (exports.length === 0) return undefined;
  if (exports.filter(({ file }) => file === STANDARD_OUTPUT).length > 1)
    throw new CommandError('usage', 'Two reports cannot both go to -', 'Write one of them to a file.');
  let reported = '';
  for (const each of exports) reported += await writeExport(each, state);
  return reported;
};

const exportTo = (file: string | undefined, text: Export['text']): readonly Export[] =>
  file === undefined ? [] : [{ file, text }];
