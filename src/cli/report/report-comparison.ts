// `plimsoll report DIR` for a comparison: the content of comparison.json, in any state.

import { COMPARISON_FILES, readStored } from '../../bench/run/stored-file.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonAfterwards } from '../../core/comparison/reported-comparison.ts';
import { isKnown } from '../../core/unknown.ts';
import { comparisonText } from '../../render/comparison/comparison-text.ts';
import { comparisonCsv } from '../../report/csv/comparison-csv.ts';
import { comparisonPage } from '../../report/html/comparison-page.ts';
import { comparisonMarkdown } from '../../report/markdown/comparison-markdown.ts';
import { comparisonToJson } from '../../wire/comparison-schema.ts';
import { jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { resumeText } from '../compare/resume-text.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type ExportContext, exportForms, reportFonts } from './export-report.ts';

/** Undefined where the directory has no comparison.json. */
export const comparisonIn = async (directory: string): Promise<ComparisonDocument | undefined> => {
  const file = await readStored(directory, COMPARISON_FILES);
  if (file.kind === 'here') return file.document;
  if (file.isMissing) return undefined;
  throw new CommandError(
    'benchRunDirectory',
    `The comparison in ${directory} cannot be read: ${file.reason}`,
    'Each folder pair-NN-a or pair-NN-b in it is a run: plimsoll report DIR/pair-01-a',
  );
};

export const reportComparison = async (
  found: ComparisonDocument,
  directory: string,
  context: ExportContext,
): Promise<ExitCode> => {
  const { invocation, state } = context;
  const document = comparisonAfterwards(found);
  const exported = await exportForms(context, {
    html: async () => comparisonPage({ document, fonts: await reportFonts(state) }),
    csv: async () => comparisonCsv(document),
    markdown: async () => comparisonMarkdown(document),
  });
  if (exported !== undefined) await state.stdout.write(exported);
  else if (invocation.option(jsonOption)) await state.stdout.write(comparisonToJson(document));
  else {
    const canGoOn =
      document.state !== 'complete' && document.stopped === undefined && isKnown(document.resume);
    const advice = canGoOn ? ['', `Continue with: ${resumeText(directory, document)}`] : [];
    await state.stdout.write(`${[...comparisonText(document, state.stdout), ...advice].join('\n')}\n`);
  }
  if (document.stopped !== undefined) return EXIT_CODES.benchStopped.code;
  return document.state === 'complete' ? EXIT_CODES.ok.code : EXIT_CODES.benchInterrupted.code;
};
