// `plimsoll sweep URL`: one load after the other, each an ordinary run, in a directory that can be taken up again.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { failedStopReason } from '../../core/run/failed-stop.ts';
import type { SweepDocument } from '../../core/sweep/sweep-document.ts';
import { sweepText } from '../../render/sweep/sweep-text.ts';
import { sweepDocumentToJson } from '../../wire/stored-json.ts';
import { BENCH } from '../bench/bench-options.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import { factsPath } from '../bench/run-headroom.ts';
import { ONE_URL } from '../bench/url-options.ts';
import { type Command, type Invocation, OR_NAMED } from '../command.ts';
import { EXIT_CODES, type ExitCode, type ExitName } from '../exit-codes.ts';
import { TOOL_OPTIONS } from '../like/foreign-options.ts';
import { interrupted, loadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { isFormPrinted } from '../report/form-options.ts';
import { directoryOf } from '../runs/found-runs.ts';
import { resumedCommand, WITH_RESUME } from '../sweep/resumed-command.ts';
import type { SweepCall, SweepOutcome } from '../sweep/start-sweep.ts';
import { asBench, requestedLoads, SWEEP, SWEEP_OPTIONS } from '../sweep/sweep-options.ts';

export const sweepCommand: Command = {
  name: 'sweep',
  foreignOptions: TOOL_OPTIONS,
  summary: 'Load-test an endpoint at one load after the other',
  description:
    'Each load is a stage: an ordinary run with a directory of its own. It ends early when a load is over capacity: higher\nloads would only grow the queue faster. After a stop or a crash, continue with --resume DIR. For the highest load that meets\nobjectives see plimsoll line.',
  arguments: [
    {
      name: 'URL',
      meaning: `The server, its /v1, or the endpoint. ${OR_NAMED} Without one, the servers found are offered. Not needed with --resume.`,
      isRequired: false,
      target: 'only',
      isOffered: true,
      unless: SWEEP.resume.name,
      insteadOfMore: ONE_URL,
    },
  ],
  options: SWEEP_OPTIONS,
  prints: ['sweep'],
  examples: [
    { line: 'plimsoll sweep URL --rates 1..64x2 --duration 1m', meaning: '1, 2, 4, … 64 requests a second' },
    { line: 'plimsoll sweep URL --concurrency 1..256x2', meaning: '1, 2, 4, … 256 requests in flight' },
    { line: 'plimsoll sweep --resume DIR', meaning: 'continue where it stopped' },
  ],
  run: async (invocation, state) => {
    const isJson = invocation.option(SWEEP.json);
    const isFormed = isFormPrinted(invocation);
    const isQuiet = isJson || isFormed || invocation.option(BENCH.quiet);
    const since = new Date(systemClock.wallMs()).toISOString();
    const end = await startOf(invocation, state, isQuiet);
    if (isJson) await state.stdout.write(sweepDocumentToJson(end.document));
    else if (!isFormed)
      await state.stdout.write(
        `\n${sweepText(end.document, state.stdout).join('\n')}\n\nSweep directory: ${end.directory}\n`,
      );
    for (const problem of end.diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
    const { printSeries, stageSeries } = await import('../report/foreign-report.ts');
    await printSeries(end.directory, stageSeries(end.document), { invocation, state });
    const { sendStages } = await import('../sweep/send-stages.ts');
    await sendStages(end, { invocation, since }, state);
    return await exitOf(end, invocation.option(BENCH.requireTrustworthy), state);
  },
};

const startOf = async (
  invocation: Invocation,
  state: ProcessState,
  isQuiet: boolean,
): Promise<SweepOutcome> => {
  const { startSweep, readSweepCommand } = await loadSweep();
  const resumed = invocation.option(SWEEP.resume);
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  if (resumed === undefined) {
    const { withOffered } = await loadFound();
    const offered = await withOffered(invocation, state);
    const start = await newStart(offered.invocation, offered.invocation, state.cwd, offered.state);
    return await unlessStopped(state, () => startSweep(state, { ...start, resumed, isQuiet }));
  }
  const directory = await directoryOf(resumed, { home, cwd: state.cwd });
  const { resume } = await readSweepCommand(directory);
  const { requested, cwd } = resumedCommand(invocation, resume, {
    command: sweepCommand,
    one: 'sweep',
    directory,
    beside: WITH_RESUME,
    env: state.env,
  });
  const start = await newStart(requested, invocation, cwd, state);
  return await unlessStopped(state, () => startSweep(state, { ...start, resumed: directory, isQuiet }));
};

const unlessStopped = (state: ProcessState, run: () => Promise<SweepOutcome>): Promise<SweepOutcome> =>
  interrupted(state, run, 'the sweep was stopped before its first stage');

/** `secrets` is the call that headers and keys were given to. */
const newStart = async (
  invocation: Invocation,
  secrets: Invocation,
  cwd: string,
  state: ProcessState,
): Promise<Omit<SweepCall, 'resumed' | 'isQuiet'>> => {
  const requested = requestedLoads(invocation);
  const options = parseBenchOptions(asBench(invocation, requested), cwd);
  return {
    ...(await loadStart(invocation, state, { parsed: options, options: SWEEP_OPTIONS, now: secrets })),
    facts: factsPath(cwd, invocation.option(BENCH.facts)),
    requested,
    order: {
      durationMs: options.durationMs ?? 0,
      pauseMs: invocation.option(SWEEP.pause),
      isStubborn: invocation.option(SWEEP.keepGoing),
    },
  };
};

const exitOf = async (
  { document, diskProblems }: SweepOutcome,
  needsTrustworthy: boolean,
  { stderr }: ProcessState,
): Promise<ExitCode> => {
  const judged = sweepExit(document, needsTrustworthy);
  const isWritten = diskProblems.length === 0 || BEFORE_INCOMPLETE.has(judged);
  const exit = isWritten ? judged : 'benchIncomplete';
  const reason = {
    benchInterrupted: 'the sweep was stopped',
    benchStopped: document.stopped === undefined ? '' : `stopped ${failedStopReason(document.stopped)}`,
    benchIncomplete: `the sweep is not complete: ${document.endedEarly ?? diskProblems[0] ?? 'a stage had no answer'}`,
    benchClientBound: 'not trustworthy: this machine was the limit of a stage',
  }[String(exit)];
  const { code } = EXIT_CODES[exit];
  if (reason !== undefined) await stderr.write(`plimsoll: ${reason} (code ${code})\n`);
  return code;
};

/** The gravest first. A load that is over capacity is an answer, and so is an objective that is missed. */
export const sweepExit = (document: SweepDocument, needsTrustworthy: boolean): ExitName => {
  if (document.state === 'stopped') return 'benchInterrupted';
  if (document.stopped !== undefined) return 'benchStopped';
  const verdicts = document.stages.map(({ verdict }) => verdict);
  if (document.state !== 'complete' || verdicts.includes('broken')) return 'benchIncomplete';
  return needsTrustworthy && verdicts.includes('client-bound') ? 'benchClientBound' : 'ok';
};

/** Loaded on demand, and not next to an `await using`: TypeScript 6.0 does not rewrite the path there. */
const loadSweep = () => import('../sweep/start-sweep.ts');

const loadFound = () => import('../target/found-servers.ts');

/** Graver than what could not be written. */
const BEFORE_INCOMPLETE: ReadonlySet<ExitName> = new Set(['benchInterrupted', 'benchStopped']);
