// `plimsoll report DIR`: the report of a run again, from its directory alone, also of a run that was killed.

import { dirname } from 'node:path';
import { type LiveRunRecord, readLiveRuns } from '../../bench/run/live-run-file.ts';
import { resolveHome } from '../../config/home.ts';
import { flag, type Option } from '../../core/option/option.ts';
import type { Report } from '../../core/run/report.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { RunDirectoryError, rebuildReport, writeReportFiles } from '../../metrics/report-sources.ts';
import { EVERY_FORM } from '../../render/document/listed-document.ts';
import { renderReport } from '../../render/run/text-report.ts';
import { reportToJson } from '../../wire/stored-json.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { otlpOption } from '../otlp-option.ts';
import type { ProcessState } from '../process-state.ts';
import { EXPORT_OPTIONS, type ExportContext, exportReport } from '../report/export-report.ts';
import { foreignReport, refuseForeign, type SeveralRuns } from '../report/foreign-report.ts';
import { FORM } from '../report/form-options.ts';
import { repeatIn, writeRepeatFiles } from '../report/report-repeat.ts';
import { REPEAT_REPORT, reportForms, STORED_REPORTS } from '../report/report-stored.ts';
import { directoryOf } from '../runs/found-runs.ts';
import { sendRun } from '../send-run.ts';

const fullOption = flag('full', 'Print everything the report has, not only what fits on a screen.');

export const reportCommand: Command = {
  name: 'report',
  summary: "Recreate a run's report from its directory",
  description:
    'Uses final_snapshot.json if the run has one, else counts samples.jsonl again. Writes report.json and report.txt, and prints the report; for a run in progress it prints what there is and writes nothing. Exits with 12 if the run is not complete, 13 if it was interrupted.',
  arguments: [
    {
      name: 'DIR',
      meaning: `The id or the directory of one of: ${EVERY_FORM}.`,
      isRequired: true,
    },
  ],
  options: [
    fullOption,
    ...EXPORT_OPTIONS,
    ...Object.values<Option<unknown>>(FORM),
    otlpOption,
    homeOption,
    jsonOption,
  ],
  prints: ['report', 'repeat', 'sweep', 'line', 'comparison', 'campaign', 'acceptance'],
  examples: [
    {
      line: 'plimsoll report ~/.plimsoll/runs/2026-01-31-1',
      meaning: 'print it, and write it into the run directory',
    },
    {
      line: 'plimsoll report DIR --as vllm --to result.json',
      meaning: 'for tools that read the results of vLLM',
    },
    {
      line: 'plimsoll report SWEEP --as guidellm --to benchmarks.json',
      meaning: 'a whole sweep, a benchmark each stage',
    },
    { line: "plimsoll report --json DIR | jq '.series.ttftNs.percentiles'", meaning: 'for programs' },
  ],
  mayBeLeft: true,
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const directory = await directoryOf(invocation.arguments[0] ?? '.', { home, cwd: state.cwd });
    const several = await reportSeveral(directory, { invocation, state });
    if (several !== undefined) return several;
    const live = await liveRunIn(directory, invocation.option(homeOption), state);
    const report = await rebuilt(directory, live !== undefined);
    const problems = live === undefined ? await writeReportFiles(directory, report) : [];
    const context = { invocation, state };
    const exported =
      (await foreignReport(directory, report, context)) ?? (await exportReport(directory, report, context));
    if (exported !== undefined) await state.stdout.write(exported);
    else if (invocation.option(jsonOption)) await state.stdout.write(reportToJson(report));
    else {
      const isFull = invocation.option(fullOption);
      const lines = renderReport(report, {
        isUnicode: state.stdout.isUnicode,
        columns: state.stdout.columns,
        isFull,
      });
      await state.stdout.write(`${lines.join('\n')}\n`);
    }
    const endpoint = invocation.option(otlpOption);
    if (endpoint !== undefined) await sendRun(report, directory, endpoint, state);
    if (live !== undefined) {
      const watch = `To watch it: ${shellCommand`plimsoll watch ${live.runId}`}`;
      await state.stderr.write(
        `plimsoll: the run is in progress: nothing was written into its directory\n${watch}\n`,
      );
    }
    for (const problem of problems) await state.stderr.write(`plimsoll: ${problem}\n`);
    return exitCodeOf(report);
  },
};

/** Of a directory that holds several runs; undefined where it is that of one. */
const reportSeveral = async (directory: string, context: ExportContext): Promise<ExitCode | undefined> => {
  const refuse = (several: SeveralRuns): void => {
    if (context.invocation.option(otlpOption) !== undefined)
      throw new CommandError(
        'usage',
        '--otlp sends one run, and this directory holds several',
        'Give it the directory of one of them.',
      );
    refuseForeign(context, several);
  };
  for (const reportStored of Object.values(STORED_REPORTS)) {
    const stored = await reportStored(directory, context, refuse);
    if (stored !== undefined) return stored;
  }
  const repeat = await repeatIn(directory, context.state);
  if (repeat === undefined) return undefined;
  refuse({ directory, what: 'several repeats of one run', firstPart: 'run-01', forms: [] });
  await reportForms(REPEAT_REPORT, repeat, directory, context);
  const problems = await writeRepeatFiles(directory, repeat);
  for (const problem of problems) await context.state.stderr.write(`plimsoll: ${problem}\n`);
  return REPEAT_REPORT.isComplete(repeat) ? EXIT_CODES.ok.code : EXIT_CODES.benchIncomplete.code;
};

/** Looked up in the home where `plimsoll bench` stores runs, or in the home that contains the directory. */
const liveRunIn = async (
  directory: string,
  option: string | undefined,
  state: ProcessState,
): Promise<LiveRunRecord | undefined> => {
  const homes = [resolveHome({ ...state, option }), dirname(dirname(directory))];
  for (const home of homes) {
    const runs = await readLiveRuns(home, pid => state.isAlive(pid));
    const live = runs.find(run => run.directory === directory);
    if (live !== undefined) return live;
  }
  return undefined;
};

const rebuilt = async (directory: string, isLive: boolean): Promise<Report> => {
  try {
    return await rebuildReport(directory, { isLive });
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    throw endedBy('benchRunDirectory', error);
  }
};

const exitCodeOf = (report: Report): ExitCode => {
  if (report.interrupted) return EXIT_CODES.benchInterrupted.code;
  return report.complete ? EXIT_CODES.ok.code : EXIT_CODES.benchIncomplete.code;
};
