// `plimsoll report DIR --as vllm`: a run in the format of another tool, by that tool's definitions; of a sweep, a load line or
// a comparison in a format that has a place for several runs, all of them.

import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import type { Report } from '../../core/run/report.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { samplesCsv } from '../../report/csv/samples-csv.ts';
import { isSeriesForm } from '../../report/foreign/foreign-form-names.ts';
import { FOREIGN_FORMS, SERIES_FORMS } from '../../report/foreign/foreign-forms.ts';
import { measuredSamples, type SampledRun } from '../../report/foreign/foreign-series.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { FORM } from './form-options.ts';
import { STANDARD_OUTPUT, writeExport } from './write-export.ts';

interface ForeignContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
}

/** A directory of several runs. */
export interface SeveralRuns {
  readonly directory: string;
  /** "a comparison" */
  readonly what: string;
  /** Name of the directory of its first run; undefined: it consists of none. */
  readonly firstPart: string | undefined;
  /** Formats that have a place for all of its runs. */
  readonly forms: readonly string[];
}

/** @throws CommandError where --as names a format that cannot contain what the directory has */
export const refuseForeign = (
  { invocation }: ForeignContext,
  { directory, what, firstPart, forms }: SeveralRuns,
): void => {
  const name = invocation.option(FORM.as);
  if (name === undefined || forms.includes(name)) return;
  const all = forms.map(form => shellCommand`plimsoll report ${directory} --as ${form}`);
  const one = firstPart && shellCommand`plimsoll report ${join(directory, firstPart)} --as ${name}`;
  throw new CommandError(
    'usage',
    `--as ${name} writes one run, and this is ${what}`,
    one === undefined
      ? 'Choose a run: plimsoll runs'
      : [...all.map(command => `All of it: ${command}`), `One of its runs: ${one}`].join('. '),
  );
};

/** One of the runs of a directory. */
interface RunPart {
  /** Within that directory, or absolute. */
  readonly directory: string;
  readonly hasEnded: boolean;
}

export interface RunParts {
  /** Of the document that they belong to. */
  readonly id: string;
  readonly parts: readonly RunPart[];
}

export const stageSeries = ({ id, stages }: SweepDocument | LineDocument): RunParts => ({
  id,
  parts: stages.map(({ directory, state }) => ({ directory, hasEnded: state === 'ended' })),
});

export const unitSeries = ({ id, a, b }: ComparisonDocument): RunParts => ({
  id,
  parts: [...a.units, ...b.units].map(({ directory }) => ({ directory, hasEnded: true })),
});

/** At the end of the command that created them. Where nothing has ended, its exit code states why. */
export const printSeries = async (
  directory: string,
  series: RunParts,
  context: ForeignContext,
): Promise<void> => {
  if (series.parts.some(({ hasEnded }) => hasEnded))
    await context.state.stdout.write((await foreignSeries(directory, series, context)) ?? '');
};

/** Those that have ended; as foreignReport. */
export const foreignSeries = async (
  directory: string,
  { id, parts }: RunParts,
  { invocation, state }: ForeignContext,
): Promise<string | undefined> => {
  const name = invocation.option(FORM.as);
  const form = name !== undefined && isSeriesForm(name) ? SERIES_FORMS[name] : undefined;
  if (form === undefined) return undefined;
  const runs: SampledRun[] = [];
  for (const part of parts) {
    const run = await measuredRun(resolve(directory, part.directory), part.hasEnded);
    if (typeof run !== 'string') runs.push(run);
    else await state.stderr.write(`plimsoll: ${part.directory} is left out: ${run}\n`);
  }
  if (runs.length === 0)
    throw new CommandError(
      'benchRunDirectory',
      `no run in ${directory} has ended with figures`,
      'Resume it with --resume, or choose another one: plimsoll runs',
    );
  const file = invocation.option(FORM.to) ?? STANDARD_OUTPUT;
  return await writeExport({ file, text: () => form(id, runs) }, state);
};

/** @returns why there is none, as text */
const measuredRun = async (directory: string, hasEnded: boolean): Promise<SampledRun | string> => {
  if (!hasEnded) return 'it has not ended';
  const { samples } = runFiles(directory);
  try {
    await readable(samples);
    return { report: await rebuildReport(directory), samples: () => measuredSamples(samples) };
  } catch (error) {
    if (!(error instanceof RunDirectoryError || error instanceof CommandError)) throw error;
    return error.problem.problem;
  }
};

/** What was written, as a line; '' where it went to standard output; undefined where --as was not given. */
export const foreignReport = async (
  directory: string,
  report: Report,
  { invocation, state }: ForeignContext,
): Promise<string | undefined> => {
  const name = invocation.option(FORM.as);
  const file = invocation.option(FORM.to);
  if (name === undefined) return undefined;
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
