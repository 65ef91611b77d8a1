// `plimsoll report DIR`: the report of a run again, from its directory alone, also of a run that was killed.

import { resolve } from 'node:path';
import type { Report } from '../../core/run/report.ts';
import { writeReportFiles } from '../../metrics/report-files.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { renderReport } from '../../metrics/text-report.ts';
import { reportToJson } from '../../wire/report-codec.ts';
import type { Command } from '../command.ts';
import { homeOption, jsonOption } from '../command.ts';
import { endedBy } from '../command-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT_CODES } from '../exit-codes.ts';

export const reportCommand: Command = {
  name: 'report',
  summary: "Make a run's report again from its directory",
  description:
    'From final_snapshot.json where the run has one, else counted again from samples.jsonl. Writes report.json and report.txt, and prints the report. Ends with 12 or 13 when the run is not complete or was interrupted.',
  arguments: [{ name: 'DIR', meaning: 'The directory of the run.', isRequired: true }],
  options: [homeOption, jsonOption],
  examples: [
    {
      line: 'plimsoll report ~/.plimsoll/runs/2026-01-31-1',
      meaning: 'print it, and write it beside the samples',
    },
    { line: "plimsoll report --json DIR | jq '.series.ttftNs.percentiles'", meaning: 'for programs' },
  ],
  run: async (invocation, state) => {
    const directory = resolve(state.cwd, invocation.arguments[0] ?? '.');
    const report = await rebuilt(directory);
    const problems = await writeReportFiles(directory, report);
    if (invocation.option(jsonOption)) await state.stdout.write(reportToJson(report));
    else {
      const lines = renderReport(report, { isUnicode: state.stdout.isUnicode });
      await state.stdout.write(`${lines.join('\n')}\n`);
    }
    for (const problem of problems) await state.stderr.write(`plimsoll: ${problem}\n`);
    return exitCodeOf(report);
  },
};

const rebuilt = async (directory: string): Promise<Report> => {
  try {
    return await rebuildReport(directory);
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    throw endedBy('benchRunDirectory', error);
  }
};

const exitCodeOf = (report: Report): ExitCode => {
  if (report.interrupted) return EXIT_CODES.benchInterrupted.code;
  return report.complete ? EXIT_CODES.ok.code : EXIT_CODES.benchIncomplete.code;
};
