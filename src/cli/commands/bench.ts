// `plimsoll bench URL`: a load test that reports whether its figures can be trusted.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { counted } from '../../core/figure/figure.ts';
import { hasUnsuccessfulEnd, isAllCutAfterGrace } from '../../core/run/failure-text.ts';
import type { ObjectiveVerdict } from '../../core/run/judge-objective.ts';
import { turnsWithoutId } from '../../core/run/lost-history.ts';
import { isOfWholeSessions, judgedObjectives, objectiveFields } from '../../core/run/objective.ts';
import type { CallFile } from '../../core/run/provenance.ts';
import type { Report } from '../../core/run/report.ts';
import { isOfSessions } from '../../core/run/run-shape.ts';
import type { RunScenario } from '../../core/scenario/run-scenario.ts';
import type { BenchScenario } from '../../core/scenario/scenario.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { isUnknown, knownOr, unknown } from '../../core/unknown.ts';
import { estimateLabel, neededLabel, sampleSizeNotice } from '../../render/run/objective-labels.ts';
import { BENCH, BENCH_OPTIONS } from '../bench/bench-options.ts';
import { depthDatasetOptions, depthRequest } from '../bench/depth-options.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import type { RepeatEnd } from '../bench/repeat-bench.ts';
import { replayed, traceReplayRequest } from '../bench/replay-options.ts';
import { displayMode } from '../bench/run-display.ts';
import { isRunFile } from '../bench/run-file.ts';
import { keptCall } from '../bench/run-provenance.ts';
import { scenarioCall } from '../bench/scenario-option.ts';
import { givenStages } from '../bench/shape-options.ts';
import type { BenchEnd } from '../bench/start-bench.ts';
import { type Command, type Invocation, OR_NAMED } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES, type ExitCode, type ExitName } from '../exit-codes.ts';
import { TOOL_OPTIONS } from '../like/foreign-options.ts';
import type { LikeTool } from '../like/like-command.ts';
import { interrupted, loadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { isFormPrinted } from '../report/form-options.ts';
import { storedCommand } from '../sweep/kept-command.ts';

export const benchCommand: Command = {
  name: 'bench',
  foreignOptions: TOOL_OPTIONS,
  summary: 'Load-test an OpenAI-compatible endpoint',
  description:
    'All it needs is a URL. Shows live figures, then the report, which is also stored in the run directory. Without\n--requests or --duration it runs for 30 seconds, with 8 requests in flight.',
  arguments: [
    {
      name: 'URL',
      meaning: `The server, its /v1, or the endpoint: http://127.0.0.1:8000. ${OR_NAMED} Without one, the servers found are offered. Several: see --weights.`,
      isRequired: false,
      target: 'only',
      isOffered: true,
      isRepeatable: true,
    },
  ],
  options: BENCH_OPTIONS,
  prints: ['report', 'repeat'],
  examples: [
    { line: 'plimsoll bench http://127.0.0.1:8000', meaning: '30 s, 8 at a time, the first model' },
    { line: 'plimsoll bench atlas', meaning: 'the server of models that was found on this node' },
    {
      line: 'plimsoll bench URL --requests 1000 --concurrency 64',
      meaning: 'a thousand requests, 64 at a time',
    },
    {
      line: 'plimsoll bench URL --rate 20 --duration 2m',
      meaning: '20 requests a second at random times, regardless of how the server responds',
    },
    {
      line: 'plimsoll bench URL --dataset prompts.jsonl --slo ttft=500ms',
      meaning: 'your own prompts; exits with 11 if an objective is missed',
    },
    {
      line: 'plimsoll bench URL --rate 200 --from atlas,boreas',
      meaning: 'from two nodes of the cluster, as one run',
    },
    {
      line: 'plimsoll bench URL --profile depth',
      meaning: 'speed of one stream at 0 to 32k tokens of context',
    },
    {
      line: "plimsoll bench --like vllm 'vllm bench serve --model M --num-prompts 100'",
      meaning: 'print the command of this tool for that load',
    },
    { line: 'plimsoll bench URL --json --quiet > report.json', meaning: 'for programs' },
  ],
  run: (invocation, state) => runBench(invocation, state, undefined),
};

/** @param file the file of options that the command line came from */
const runBench = async (
  given: Invocation,
  stateGiven: ProcessState,
  file: CallFile | undefined,
): Promise<ExitCode> => {
  const like = given.option(BENCH.like);
  if (like !== undefined) return await printLike(like, given.arguments[0] ?? '', stateGiven);
  const saved = given.option(BENCH.save);
  if (saved !== undefined) return await (await loadFile()).saveRunFile(saved, given, stateGiven);
  const [first] = given.arguments;
  if (first !== undefined && isRunFile(first))
    return await (await loadFile()).runsOfFile(first, {
      command: benchCommand,
      given,
      state: stateGiven,
      run: runBench,
    });
  const { scenario, invocation: whole } = await scenarioCall(given, stateGiven, benchCommand);
  const { withOffered } = await loadFound();
  const { invocation, state } = await withOffered(whole, stateGiven);
  const options = parseBenchOptions(invocation, state.cwd, await givenStages(invocation, state.cwd));
  const depth = depthDatasetOptions(invocation, BENCH_OPTIONS);
  const trace = traceReplayRequest(invocation, BENCH_OPTIONS);
  const started = await loadStart(invocation, state, { parsed: options, options: BENCH_OPTIONS });
  const isJson = invocation.option(BENCH.json);
  const isQuiet = invocation.option(BENCH.quiet);
  const isFormed = isFormPrinted(invocation);
  const request = await interrupted(state, () =>
    replayed(started.request, trace, {
      cwd: state.cwd,
      durationMs: invocation.option(BENCH.duration),
      sessionsMax: invocation.option(BENCH.sessions),
      concurrencyOf: invocation.option(BENCH.concurrencyOf),
      signal: state.stop,
    }),
  );
  const start = {
    ...started,
    request: {
      ...(depth === undefined ? request : await depthRequest(request, depth, state.stop)),
      ...(scenario === undefined ? {} : { scenario: runScenario(scenario, request) }),
    },
    command: storedCommand('bench', started.kept),
    call: keptCall(started.kept, file),
    mode: displayMode(state.stdout, isJson || isQuiet || isFormed),
  };
  if (!isQuiet && !isJson)
    for (const notice of sampleSizes(request)) await state.stderr.write(`plimsoll: ${notice}\n`);
  const runs = invocation.option(BENCH.repeat);
  if (runs !== undefined) {
    const { repeatBench } = await loadRepeat();
    const repeated = await interrupted(state, () =>
      repeatBench(state, start, { runs, isQuiet: isJson || isQuiet }),
    );
    for (const end of repeated.ends) await sendTo(end, invocation, state);
    return await printRepeat(repeated, invocation, state);
  }
  const { startBench } = await loadBench();
  const end = await interrupted(state, () => startBench(state, start));
  if (!isFormed) await print(end, state, { isJson, isQuiet });
  await printForm(end, invocation, state);
  await sendTo(end, invocation, state);
  return await exitOf(end, invocation, state);
};

/** What the report is judged by. */
const runScenario = ({ name, rules }: BenchScenario, { durationMs }: BenchRequest): RunScenario => ({
  name,
  rules,
  durationMs: durationMs ?? unknown('it ends by a number of requests or sessions'),
});

const printLike = async (tool: LikeTool, text: string, state: ProcessState): Promise<ExitCode> => {
  const { likeText } = await import('../like/like-tool.ts');
  const like = likeText(tool, text);
  if (like.kind === 'wrong') throw new CommandError('usage', like.problem, like.advice);
  await state.stdout.write(`${like.value.command}\n`);
  for (const note of like.value.notes) await state.stderr.write(`plimsoll: ${note}\n`);
  return EXIT_CODES.ok.code;
};

/** Objectives that a run of this many requests may leave undecided. */
const sampleSizes = ({ samplesMax, shape, objectives, attainment }: BenchRequest): readonly string[] =>
  samplesMax === undefined
    ? []
    : judgedObjectives(objectiveFields(objectives, attainment))
        // A run of sessions ends after so many of them, whose turns differ in number.
        .filter(objective => isOfSessions(shape) === isOfWholeSessions(objective))
        .flatMap(objective => sampleSizeNotice(objective, samplesMax) ?? []);

interface ExitDemands {
  readonly maxFailures: number;
  readonly needsTrustworthy: boolean;
  /** What could not be written of the report. */
  readonly diskProblems: readonly string[];
}

/** The gravest first. */
export const benchExit = (report: Report, demands: ExitDemands): ExitName => {
  if (report.interrupted) return 'benchInterrupted';
  if (report.stopped !== undefined) return 'benchStopped';
  if (!report.complete || demands.diskProblems.length > 0) return 'benchIncomplete';
  if (hasUnsuccessfulEnd(report.failures)) return 'benchFailures';
  if (demands.needsTrustworthy && report.client.verdict !== 'trustworthy') return 'benchClientBound';
  if (report.counts.failed + turnsWithoutId(report) > demands.maxFailures) return 'benchFailures';
  if (isAllCutAfterGrace(report)) return 'benchTooFew';
  const answers = knownOr(report.objectiveAnswers, []);
  if (answers.some(({ answer }) => answer === 'missed')) return 'benchObjectives';
  return isUnknown(report.objectiveAnswers) || answers.some(({ answer }) => answer === 'too-few-samples')
    ? 'benchTooFew'
    : 'ok';
};

/** Loaded on demand, and not next to an `await using`: TypeScript 6.0 does not rewrite the path there. */
const loadBench = () => import('../bench/start-bench.ts');

const loadFile = () => import('../bench/file-runs.ts');

const loadFound = () => import('../target/found-servers.ts');

const loadRepeat = () => import('../bench/repeat-bench.ts');

/** After the report: nobody waits for a receiver to see it. */
const sendTo = async (
  { report, directory }: BenchEnd,
  invocation: Invocation,
  state: ProcessState,
): Promise<void> => {
  const endpoint = invocation.option(BENCH.otlp);
  if (endpoint !== undefined) {
    const { sendRun } = await import('../send-run.ts');
    await sendRun(report, directory, endpoint, state);
  }
  const webhook = invocation.option(BENCH.webhook);
  if (webhook === undefined) return;
  const { sendWebhook } = await import('../send-webhook.ts');
  await sendWebhook(report, webhook, state);
};

const printRepeat = async (
  { document, directory, ends, diskProblems }: RepeatEnd,
  invocation: Invocation,
  state: ProcessState,
): Promise<ExitCode> => {
  const { repeatText } = await import('../../render/comparison/spread-text.ts');
  await state.stdout.write(
    invocation.option(BENCH.json)
      ? jsonLines(document)
      : `\n${repeatText(document, state.stdout).join('\n')}\n\nRun directories: ${directory}\n`,
  );
  for (const problem of diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
  for (const end of ends) {
    const code = await exitOf(end, invocation, state);
    if (code !== EXIT_CODES.ok.code) return code;
  }
  return EXIT_CODES.ok.code;
};

const failuresText = (report: Report): string => {
  const { failed } = report.counts;
  const unsent = turnsWithoutId(report);
  return [
    ...(failed > 0 || unsent === 0 ? [`${counted(failed, 'request')} failed`] : []),
    ...(unsent > 0 ? [`${counted(unsent, 'turn')} not sent, because replies have no id`] : []),
  ].join(', ');
};

const answerTexts = ({ objectiveAnswers }: Report, answer: ObjectiveVerdict): string =>
  isUnknown(objectiveAnswers)
    ? objectiveAnswers.reason
    : objectiveAnswers
        .filter(one => one.answer === answer)
        .map(one => `${one.objective}, ${estimateLabel(one)}${neededLabel(one)}`)
        .join('; ');

const print = async (
  { report, directory, notices }: BenchEnd,
  { stdout, stderr, program }: ProcessState,
  { isJson, isQuiet }: { readonly isJson: boolean; readonly isQuiet: boolean },
): Promise<void> => {
  if (!isQuiet) for (const notice of notices) await stderr.write(`plimsoll: ${notice}\n`);
  if (isJson) await stdout.write(jsonLines(report));
  else {
    const { renderReport } = await import('../../render/run/text-report.ts');
    const { isUnicode, columns } = stdout;
    const text = renderReport(report, { isUnicode, columns, isFull: false });
    const more = `Everything: ${program} report DIR --full; as a page: --html FILE`;
    await stdout.write(`${text.join('\n')}\n\n${more}\n\nRun directory: ${directory}\n`);
  }
};

/** In the format of another tool, as `plimsoll report --as` does. */
const printForm = async (
  { report, directory }: BenchEnd,
  invocation: Invocation,
  state: ProcessState,
): Promise<void> => {
  if (invocation.option(BENCH.as) === undefined) return;
  const { foreignReport } = await import('../report/foreign-report.ts');
  await state.stdout.write((await foreignReport(directory, report, { invocation, state })) ?? '');
};

const exitOf = async (
  { report, diskProblems }: BenchEnd,
  invocation: Invocation,
  { stderr }: ProcessState,
): Promise<ExitCode> => {
  const maxFailures = invocation.option(BENCH.maxFailures) ?? 0;
  const exit = benchExit(report, {
    maxFailures,
    needsTrustworthy: invocation.option(BENCH.requireTrustworthy),
    diskProblems,
  });
  for (const problem of diskProblems) await stderr.write(`plimsoll: ${problem}\n`);
  const { code } = EXIT_CODES[exit];
  const reason = {
    benchStopped: `stopped: ${report.stopped?.problem ?? ''}`,
    benchFailures: hasUnsuccessfulEnd(report.failures)
      ? 'nothing succeeded in the last part of the run'
      : `${failuresText(report)} (${maxFailures} allowed)`,
    benchObjectives: `missed: ${answerTexts(report, 'missed')}`,
    benchTooFew: isAllCutAfterGrace(report)
      ? 'no request completed'
      : `too few requests to decide: ${answerTexts(report, 'too-few-samples')}`,
    benchIncomplete: `not complete: ${report.incompleteReason ?? 'the report could not be written'}`,
    benchInterrupted: 'the run was interrupted',
    benchClientBound: `not trustworthy: ${report.client.reasons.join('; ')}`,
  }[String(exit)];
  if (reason !== undefined) await stderr.write(`plimsoll: ${reason} (code ${code})\n`);
  return code;
};
