// `plimsoll line URL --slo …`: the highest load that an endpoint holds under objectives, as a bracket.

import type { LineResult } from '../../bench/sweep/run-line.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import type { Option } from '../../core/option/option.ts';
import { failedStopReason } from '../../core/run/failed-stop.ts';
import { isOfSessions } from '../../core/run/run-shape.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { knownOr } from '../../core/unknown.ts';
import { sweepText } from '../../render/sweep/sweep-text.ts';
import { BENCH } from '../bench/bench-options.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import { replayed, traceReplayRequest } from '../bench/replay-options.ts';
import { displayMode } from '../bench/run-display.ts';
import { factsPath } from '../bench/run-headroom.ts';
import { ONE_URL } from '../bench/url-options.ts';
import { type Command, type Invocation, OR_NAMED } from '../command.ts';
import { usage } from '../command-error.ts';
import { resumeText } from '../compare/resume-text.ts';
import { EXIT_CODES, type ExitName } from '../exit-codes.ts';
import { TOOL_OPTIONS } from '../like/foreign-options.ts';
import { interrupted, loadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { isFormPrinted } from '../report/form-options.ts';
import { directoryOf } from '../runs/found-runs.ts';
import { storedCommand } from '../sweep/kept-command.ts';
import {
  attainmentOfLine,
  LINE,
  LINE_OPTIONS,
  requestedTiers,
  searchOptions,
} from '../sweep/line-options.ts';
import { resumedCommand, WITH_RESUME } from '../sweep/resumed-command.ts';

export const lineCommand: Command = {
  name: 'line',
  foreignOptions: TOOL_OPTIONS,
  summary: 'Find the highest load that an endpoint sustains',
  description:
    'Searches the load line: the highest rate at which the queue is stable and the objectives are met. The result is a\nrange: a rate that holds, and one that does not. Without --slo it is where the queue begins to grow, or\none in 20 requests fails.',
  arguments: [
    {
      name: 'URL',
      meaning: `The server, its /v1, or the endpoint: http://127.0.0.1:8000. ${OR_NAMED} Without one, the servers found are offered. Not needed with --resume.`,
      isRequired: false,
      target: 'only',
      isOffered: true,
      unless: LINE.resume.name,
      insteadOfMore: ONE_URL,
    },
  ],
  options: LINE_OPTIONS,
  prints: ['line'],
  examples: [
    {
      line: 'plimsoll line http://127.0.0.1:8000 --slo ttft.p95=500ms',
      meaning: 'requests a second with TTFT p95 within 500 ms, in 15 minutes at most',
    },
    {
      line: 'plimsoll line URL --slo ttft=500ms,tpot=50ms --attainment 99%',
      meaning: 'both for 99% of the requests',
    },
    { line: 'plimsoll line URL --slo tpot.p95=50ms --by concurrency', meaning: 'users at a time' },
    {
      line: 'plimsoll line URL --slo ttft.p95=1s --slo-tier gold=ttft.p95=200ms',
      meaning: 'two results from one search',
    },
    { line: 'plimsoll line --resume DIR', meaning: 'continue where it stopped' },
    {
      line: 'plimsoll line URL --turns 2..8 --by sessions --slo ttft.p95=1s,session.p95=60s',
      meaning: 'chats at a time',
    },
  ],
  run: async (given, stateGiven) => {
    const { invocation, state } = await withUrl(given, stateGiven);
    const since = new Date(systemClock.wallMs()).toISOString();
    const { requested, cwd, resumed } = await requestedSearch(invocation, state);
    const search = searchOptions(requested);
    const options = parseBenchOptions(withRate(requested, search.by), cwd);
    const attainment = attainmentOfLine(requested, options.objectives);
    const tiers = requestedTiers(requested, options);
    const start = await loadStart(requested, state, {
      parsed: options,
      options: LINE_OPTIONS,
      now: invocation,
    });
    const trace = traceReplayRequest(requested, LINE_OPTIONS);
    const request = await interrupted(state, () =>
      replayed(start.request, trace, {
        cwd,
        durationMs: undefined,
        sessionsMax: undefined,
        concurrencyOf: search.concurrencyOf,
        signal: state.stop,
      }),
    );
    if (trace !== undefined && !isOfSessions(request.shape))
      throw usage(
        `${trace.file} has a time for each request: there are no conversations to search by`,
        `Replay it: ${shellCommand`plimsoll bench URL --trace ${trace.file}`}`,
      );
    const isJson = invocation.option(BENCH.json);
    const isFormed = isFormPrinted(invocation);
    const isQuiet = isFormed || invocation.option(BENCH.quiet);
    const { startLine } = await loadLine();
    const end = await startLine(state, {
      ...start,
      facts: factsPath(cwd, start.facts),
      request: { ...request, attainment },
      search,
      tiers,
      resumed,
      command: knownOr(storedCommand('line', start.kept), ''),
      budgetMs: requested.option(LINE.budget),
      confidence: requested.option(LINE.confidence),
      mode: displayMode(state.stdout, isJson || isQuiet),
    });
    if (!isQuiet) for (const notice of end.notices) await state.stderr.write(`plimsoll: ${notice}\n`);
    if (isJson) await state.stdout.write(jsonLines(end.document));
    else if (!isFormed)
      await state.stdout.write(
        `${sweepText(end.document, state.stdout).join('\n')}\n\nDirectory: ${end.directory}\n`,
      );
    for (const problem of end.diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
    const { printSeries, stageSeries } = await import('../report/foreign-report.ts');
    await printSeries(end.directory, stageSeries(end.document), { invocation, state });
    const { sendStages } = await import('../sweep/send-stages.ts');
    await sendStages(end, { invocation, since }, state);
    const { code } = EXIT_CODES[lineExit(end)];
    const { state: ended, stopped } = end.document;
    if (ended !== 'complete' && stopped === undefined)
      await state.stderr.write(
        `plimsoll: continue with: ${resumeText('line', end.directory, end.document)}\n`,
      );
    if (stopped !== undefined && code === EXIT_CODES.benchStopped.code)
      await state.stderr.write(`plimsoll: stopped ${failedStopReason(stopped)} (code ${code})\n`);
    return code;
  },
};

const withUrl = async (invocation: Invocation, state: ProcessState) => {
  if (invocation.option(LINE.resume) !== undefined) return { invocation, state };
  const { withOffered } = await loadFound();
  return await withOffered(invocation, state);
};

/** What to search: the options given, or with --resume those that are stored. */
const requestedSearch = async (
  invocation: Invocation,
  state: ProcessState,
): Promise<{
  readonly requested: Invocation;
  readonly cwd: string;
  readonly resumed: string | undefined;
}> => {
  const given = invocation.option(LINE.resume);
  if (given === undefined) return { requested: invocation, cwd: state.cwd, resumed: undefined };
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  const resumed = await directoryOf(given, { home, cwd: state.cwd });
  const { readLineCommand } = await loadLine();
  const command = resumedCommand(invocation, await readLineCommand(resumed), {
    command: lineCommand,
    one: 'line',
    directory: resumed,
    beside: WITH_RESUME,
    env: state.env,
  });
  return { ...command, resumed };
};

/** The gravest first. */
export const lineExit = ({
  document,
  diskProblems,
}: Pick<LineResult, 'document' | 'diskProblems'>): ExitName => {
  if (document.state === 'stopped') return 'benchInterrupted';
  if (document.stopped !== undefined) return 'benchStopped';
  if (document.state === 'interrupted' || diskProblems.length > 0) return 'benchIncomplete';
  return exitOf(document.line);
};

const exitOf = (line: LineDocument['line']): ExitName => {
  switch (line.kind) {
    case 'bracket':
      return 'ok';
    case 'at-least':
      return line.limit === 'client' ? 'benchClientBound' : line.limit === 'load-max' ? 'ok' : 'benchTooFew';
    case 'none':
      return 'benchNoLoad';
    case 'at-most':
    case 'unknown':
      return 'benchTooFew';
    default:
      return line satisfies never;
  }
};

/** Loaded on demand, and not next to an `await using`: TypeScript 6.0 does not rewrite the path there. */
const loadLine = () => import('../sweep/start-line.ts');

const loadFound = () => import('../target/found-servers.ts');

/** The options of a run are read as those of a run at a rate, so that objectives of an open loop may be asked for. */
const withRate = (invocation: Invocation, by: 'rate' | 'concurrency'): Invocation => ({
  ...invocation,
  option: <T>(option: Option<T>): T => {
    if (by === 'concurrency' || option.name !== BENCH.rate.name) return invocation.option(option);
    const read = option.read(['1']);
    return read.kind === 'ok' ? read.value : invocation.option(option);
  },
});
