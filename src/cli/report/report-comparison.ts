// `plimsoll report DIR` of a comparison: what comparison.json knows, whatever state it is in.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonText } from '../../core/comparison/comparison-text.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import { comparisonMarkdown } from '../../report/markdown/comparison-markdown.ts';
import { COMPARISON_BYTES_MAX, comparisonFromJson, comparisonToJson } from '../../wire/comparison-schema.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ExportContext } from './export-report.ts';
import { exportForms } from './export-report.ts';

/** Undefined where the directory has no comparison.json. */
export const comparisonIn = async (directory: string): Promise<ComparisonDocument | undefined> => {
  const file = join(directory, 'comparison.json');
  try {
    const { size } = await stat(file);
    if (size > COMPARISON_BYTES_MAX) throw new DecodeError(`it is larger than ${COMPARISON_BYTES_MAX} bytes`);
    return comparisonFromJson(await readFile(file, 'utf8'));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === undefined && !(error instanceof DecodeError)) throw error;
    throw new CommandError(
      'benchRunDirectory',
      `The comparison in ${directory} cannot be read: ${errorMessage(error)}`,
      'Each folder pair-NN-a or pair-NN-b in it is a run: plimsoll report DIR/pair-01-a',
    );
  }
};

export const reportComparison = async (
  document: ComparisonDocument,
  context: ExportContext,
): Promise<ExitCode> => {
  const { invocation, state } = context;
  const exported = await exportForms(context, {
    html: async () => noSuchForm('--html'),
    csv: async () => noSuchForm('--csv'),
    markdown: async () => comparisonMarkdown(document),
  });
  if (exported !== undefined) await state.stdout.write(exported);
  else if (invocation.option(jsonOption)) await state.stdout.write(comparisonToJson(document));
  else await state.stdout.write(`${comparisonText(document, state.stdout).join('\n')}\n`);
  return document.state === 'complete' ? EXIT_CODES.ok.code : EXIT_CODES.benchInterrupted.code;
};

const noSuchForm = (option: string): never => {
  throw new CommandError(
    'usage',
    `${option} has no form for a comparison`,
    'Write --md FILE, or --json for programs; each segment is a run of its own: plimsoll report DIR/pair-01-a',
  );
};
