// `plimsoll report DIR --html FILE --csv FILE --md FILE`: a report in forms that leave this machine. "-" is standard output.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { figureText, formatBytes } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { samplesCsv } from '../../report/csv/samples-csv.ts';
import type { FontFace } from '../../report/html/font-faces.ts';
import { fontFaces } from '../../report/html/font-faces.ts';
import { runPage } from '../../report/html/run-page.ts';
import { runMarkdown } from '../../report/markdown/run-markdown.ts';
import { runOverTime } from '../../report/run-over-time.ts';
import type { Invocation, Option } from '../command.ts';
import { nonEmpty, value } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

const fileOption = (name: string, meaning: string): Option<string | undefined> =>
  value({ name, valueName: 'FILE', meaning: `${meaning} - for standard output.`, parse: nonEmpty });

const htmlOption = fileOption('html', 'Write one HTML file with charts: no script, nothing fetched.');
const csvOption = fileOption('csv', 'Write each request, of a line or sweep each stage, as a line of CSV.');
const markdownOption = fileOption('md', 'Write a short report in Markdown.');

export const EXPORT_OPTIONS: readonly Option<unknown>[] = [htmlOption, csvOption, markdownOption];

export interface ExportContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
}

/** A text, or parts of one that need not be whole in memory. */
type Making = () => Promise<string> | AsyncIterable<string>;

export interface ReportForms {
  readonly html: Making;
  readonly csv: Making;
  readonly markdown: Making;
}

/** One form of a report, and where it goes. */
interface Export {
  readonly file: string;
  readonly text: Making;
}

/** What was written, a line each; undefined where no form was asked for. */
export const exportReport = async (
  directory: string,
  report: Report,
  context: ExportContext,
): Promise<string | undefined> => {
  const { samples } = runFiles(directory);
  return await exportForms(context, {
    html: async () =>
      runPage({
        report,
        overTime: await runOverTime(samples, { isStreaming: report.run.streaming }),
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
  let said = '';
  for (const each of exports) said += await write(each, state);
  return said;
};

const exportTo = (file: string | undefined, text: Export['text']): readonly Export[] =>
  file === undefined ? [] : [{ file, text }];

/** The line that says it was written; '' where it went to standard output. */
const write = async ({ file, text }: Export, state: ProcessState): Promise<string> => {
  const made = text();
  const content = made instanceof Promise ? await made : made;
  if (file === STANDARD_OUTPUT) {
    if (typeof content === 'string') await state.stdout.write(content);
    else for await (const part of content) await state.stdout.write(part);
    return '';
  }
  const path = resolve(state.cwd, file);
  try {
    await writeFileAtomic(path, content);
    return `Wrote ${path}, ${figureText(formatBytes((await stat(path)).size))}\n`;
  } catch (error) {
    throw new CommandError(
      'failure',
      `${path} cannot be written: ${diskReason(error)}`,
      'Choose a file in a folder that you can write to.',
      { cause: error },
    );
  }
};

const STANDARD_OUTPUT = '-';
