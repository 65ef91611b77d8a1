// `plimsoll report DIR --as vllm`: a run in the format of another tool, by that tool's definitions.

import { access, constants } from 'node:fs/promises';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import type { Report } from '../../core/run/report.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { samplesCsv } from '../../report/csv/samples-csv.ts';
import { FOREIGN_FORMS, type ForeignFormName } from '../../report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../report/foreign/foreign-series.ts';
import { choice, type Invocation, nonEmpty, type Option, value } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { STANDARD_OUTPUT, writeExport } from './write-export.ts';

const NAMES = [
  'vllm',
  'aiperf',
  'guidellm',
  'genai-perf',
  'inference-perf',
  'csv',
] as const satisfies readonly (ForeignFormName | 'csv')[];

const asOption: Option<(typeof NAMES)[number] | undefined> = choice({
  name: 'as',
  valueName: 'TOOL',
  meaning: `Write the run as another tool would have, by its definitions: ${NAMES.join(', ')}.`,
  choices: NAMES,
});

const toOption: Option<string | undefined> = value({
  name: 'to',
  valueName: 'FILE',
  meaning: 'Where --as writes; standard output by default.',
  parse: nonEmpty,
});

export const FOREIGN_OPTIONS: readonly Option<unknown>[] = [asOption, toOption];

interface ForeignContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
}

/** @throws CommandError where --as is asked of what is no single run */
export const refuseForeign = ({ invocation }: ForeignContext, what: string): void => {
  if (invocation.option(asOption) === undefined) return;
  throw new CommandError(
    'usage',
    `--as writes one run, and this is ${what}`,
    'Give it the directory of one of its runs.',
  );
};

/** What was written, as a line; '' where it went to standard output; undefined where --as was not given. */
export const foreignReport = async (
  directory: string,
  report: Report,
  { invocation, state }: ForeignContext,
): Promise<string | undefined> => {
  const name = invocation.option(asOption);
  const file = invocation.option(toOption);
  if (name === undefined) {
    if (file === undefined) return undefined;
    throw new CommandError('usage', '--to needs --as', 'Say which format: --as vllm --to FILE.');
  }
  if (report.run.foreign !== undefined)
    throw new CommandError(
      'usage',
      `--as writes what Plimsoll measured, and this run is of ${foreignLabel(report.run.foreign)}`,
      'Keep the file that was imported: what it does not contain cannot be written in another format.',
    );
  const { samples } = runFiles(directory);
  await readable(samples);
  const text = (): AsyncIterable<string> =>
    name === 'csv'
      ? samplesCsv(samples, report.run.from)
      : FOREIGN_FORMS[name](report, () => measuredSamples(samples));
  return await writeExport({ file: file ?? STANDARD_OUTPUT, text }, state);
};

const readable = async (path: string): Promise<void> => {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw new CommandError(
      'benchRunDirectory',
      `${path} cannot be read: ${diskReason(error)}`,
      'Other formats are computed from the samples; the report alone does not hold them.',
      { cause: error },
    );
  }
};
