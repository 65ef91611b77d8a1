// `plimsoll report DIR --html FILE --csv FILE --md FILE`: a report in forms that leave this machine. "-" is standard output.

import { resolve } from 'node:path';
import { figureText, formatBytes } from '../../core/figure/figure.ts';
import { errorMessage } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { fontFaces } from '../../report/html/font-faces.ts';
import { runPage } from '../../report/html/run-page.ts';
import { runOverTime } from '../../report/run-over-time.ts';
import type { Invocation, Option } from '../command.ts';
import { nonEmpty, value } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

const htmlOption = value({
  name: 'html',
  valueName: 'FILE',
  meaning: 'Write one HTML file with charts, for people: no script, nothing fetched. - for standard output.',
  parse: nonEmpty,
});

export const EXPORT_OPTIONS: readonly Option<unknown>[] = [htmlOption];

/** What was written, a line each; undefined where no form was asked for. */
export const exportReport = async (
  directory: string,
  report: Report,
  { invocation, state }: { readonly invocation: Invocation; readonly state: ProcessState },
): Promise<readonly string[] | undefined> => {
  const html = invocation.option(htmlOption);
  if (html === undefined) return undefined;
  const overTime = await runOverTime(runFiles(directory).samples, { isStreaming: report.run.streaming });
  const fonts = state.dashboardDir === undefined ? [] : await fontFaces(state.dashboardDir);
  return [await written(html, runPage({ report, overTime, fonts }), state)].filter(line => line !== '');
};

const written = async (file: string, text: string, state: ProcessState): Promise<string> => {
  if (file === '-') {
    await state.stdout.write(text);
    return '';
  }
  const path = resolve(state.cwd, file);
  try {
    await writeFileAtomic(path, text);
  } catch (error) {
    throw new CommandError(
      'failure',
      `${path} cannot be written: ${errorMessage(error)}`,
      'Choose a file in a folder that you can write to.',
      { cause: error },
    );
  }
  return `Wrote ${path}, ${figureText(formatBytes(Buffer.byteLength(text)))}`;
};
