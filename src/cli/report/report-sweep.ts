// `plimsoll report DIR` of a load line or a sweep: a directory of stages, each of which is a run that has a report of its own.

import { readStored, SWEEP_FILES } from '../../bench/run/stored-file.ts';
import { sweepAfterwards, sweepEndOf } from '../../core/sweep/sweep-digest.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { sweepText } from '../../render/sweep/sweep-text.ts';
import { stagesCsv } from '../../report/csv/stages-csv.ts';
import { linePage } from '../../report/html/line-page.ts';
import { sweepMarkdown } from '../../report/markdown/sweep-markdown.ts';
import { sweepDocumentToJson } from '../../wire/sweep-schema.ts';
import { jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type ExportContext, exportForms, reportFonts } from './export-report.ts';

/** Undefined where the directory has neither line.json nor sweep.json. */
export const sweepIn = async (directory: string): Promise<SweepDocument | LineDocument | undefined> => {
  const file = await readStored(directory, SWEEP_FILES);
  if (file.kind === 'here') return file.document;
  if (file.isMissing) return undefined;
  throw new CommandError(
    'benchRunDirectory',
    `The stages in ${directory} cannot be read: ${file.reason}`,
    'Each folder stage-NN in it is a run: plimsoll report DIR/stage-01',
  );
};

export const reportSweep = async (
  document: SweepDocument | LineDocument,
  context: ExportContext,
): Promise<ExitCode> => {
  const { invocation, state } = context;
  const exported = await exportForms(context, {
    html: async () => linePage({ document, fonts: await reportFonts(state) }),
    csv: () => Promise.resolve(stagesCsv(document.stages)),
    markdown: () => Promise.resolve(sweepMarkdown(document)),
  });
  if (exported !== undefined) await state.stdout.write(exported);
  else if (invocation.option(jsonOption))
    await state.stdout.write(sweepDocumentToJson(sweepAfterwards(document)));
  else await state.stdout.write(`${sweepText(document, state.stdout).join('\n')}\n`);
  if (document.stopped !== undefined) return EXIT_CODES.benchStopped.code;
  return sweepEndOf(document).state === 'complete' ? EXIT_CODES.ok.code : EXIT_CODES.benchInterrupted.code;
};
