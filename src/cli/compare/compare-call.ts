// What `plimsoll compare` of two servers was asked for, from its command line: of this call, or of one that goes on.

import { resolveHome } from '../../config/home.ts';
import { defaultPrimary } from '../../core/comparison/comparison-metrics.ts';
import { pairPlan, SEGMENT_RULES, USUAL_LOOKS } from '../../core/comparison/pair-plan.ts';
import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { COMPARISON_FILES, readStored } from '../../metrics/stored-file.ts';
import { BENCH } from '../bench/bench-options.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import { displayMode } from '../bench/run-display.ts';
import { factsPath } from '../bench/run-headroom.ts';
import { hasSessions } from '../bench/session-options.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { type LoadStart, loadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { FORM, isFormPrinted } from '../report/form-options.ts';
import { directoryOf } from '../runs/found-runs.ts';
import { keptCommand } from '../sweep/kept-command.ts';
import { resumedCommand } from '../sweep/resumed-command.ts';
import { COMPARE, COMPARE_OPTIONS } from './compare-options.ts';
import type { RequestedSide } from './compared-servers.ts';
import { GATE_FILES } from './gate-options.ts';
import type { CompareLocation, CompareStart } from './start-compare.ts';

/** @throws CommandError */
export const newComparison = (invocation: Invocation, state: ProcessState): Promise<CompareStart> =>
  compareStart(invocation, state, {
    cwd: state.cwd,
    location: { kind: 'new' },
  });

interface ResumedComparisonCall {
  readonly start: CompareStart;
  /** With what was asked for then, and what belongs to this call. */
  readonly invocation: Invocation;
}

/** @param command that of `plimsoll compare`, whose line is read again. @throws CommandError */
export const resumedComparison = async (
  given: string,
  invocation: Invocation,
  state: ProcessState,
  command: Command,
): Promise<ResumedComparisonCall> => {
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  const directory = await directoryOf(given, { home, cwd: state.cwd });
  const file = await readStored(directory, COMPARISON_FILES);
  if (file.kind === 'refused')
    throw new CommandError(
      'benchRunDirectory',
      `the comparison in ${directory} cannot be resumed: ${file.isMissing ? 'it has no comparison.json' : file.reason}`,
      'Give the directory that plimsoll compare printed; each folder pair-NN-a in it is a run of its own.',
    );
  const { document } = file;
  const { requested, cwd } = resumedCommand(invocation, document.resume, {
    command,
    one: 'comparison',
    directory,
    beside: RESUME_CONFLICTS,
    env: state.env,
  });
  const merged: Invocation = {
    arguments: [],
    option: option => {
      if (!RESUME_CONFLICTS.includes(option.name)) return requested.option(option);
      const now = invocation.option(option);
      return now === undefined ? requested.option(option) : now;
    },
  };
  const start = await compareStart(merged, state, {
    cwd,
    location: { kind: 'resumed', directory, document },
  });
  for (const letter of ['a', 'b'] as const)
    if (document[letter].target !== start[letter].request.target.shown)
      throw usage(
        `--${letter} names another server than the comparison: ${start[letter].request.target.shown}`,
        'A comparison resumes with the servers that it started with.',
      );
  return { start, invocation: merged };
};

const compareStart = async (
  invocation: Invocation,
  state: ProcessState,
  { cwd, location }: { readonly cwd: string; readonly location: CompareLocation },
): Promise<CompareStart> => {
  const [urlA, urlB] = [sideGiven(invocation, 'a'), sideGiven(invocation, 'b')];
  const facts = invocation.option(BENCH.facts);
  const side = async (url: string, letter: 'a' | 'b'): Promise<RequestedSide & LoadStart> => {
    // Read as a benchmark of that URL would be, so that everything else means the same in both.
    const options = parseBenchOptions({ ...invocation, arguments: [url] }, cwd);
    return {
      ...(await loadStart(invocation, state, { parsed: options, options: COMPARE_OPTIONS })),
      label: invocation.option(letter === 'a' ? COMPARE.aLabel : COMPARE.bLabel) ?? options.target.shown,
      facts: factsPath(cwd, letter === 'b' ? (invocation.option(COMPARE.bFacts) ?? facts) : facts),
      startCommand: invocation.option(letter === 'a' ? COMPARE.aStart : COMPARE.bStart),
    };
  };
  const [a, b] = [await side(urlA, 'a'), await side(urlB, 'b')];
  checkServers(a, b, invocation.option(COMPARE.oneAtATime), state);
  const { pattern, isStreaming, seed } = a.request;
  const segmentMs = invocation.option(COMPARE.segment);
  const pairs = invocation.option(COMPARE.pairs);
  const primary = invocation.option(COMPARE.primary) ?? defaultPrimary({ pattern, isStreaming });
  if (!isStreaming && /^(ttft|tpot)\./.test(primary))
    throw usage(`--primary ${primary} needs a stream`, 'Leave out --streaming off, or choose latency.p90.');
  if (primary.startsWith('goodput.') && a.request.objectives.length === 0)
    throw usage('--primary goodput.rate needs objectives', 'Add what must hold: --slo ttft=500ms');
  const sessions = sessionsOfSegment(invocation, a.request);
  if (primary.startsWith('session.') && sessions === undefined)
    throw usage(
      `--primary ${primary} needs sessions`,
      'Generate chats: --turns 4 --sessions 100, or choose latency.p90.',
    );
  const segment = { ...SEGMENT_RULES, ...(segmentMs === undefined ? {} : { durationMs: segmentMs }) };
  const rules =
    sessions === undefined
      ? segmentMs === undefined
        ? segment
        : { ...segment, requests: 0, latencies: 0 }
      : { durationMs: 0, requests: 0, latencies: 0, sessions };
  return {
    ...a,
    a,
    b,
    order: {
      plan: pairPlan(pairs === undefined ? USUAL_LOOKS : [pairs], rules),
      pattern,
      primary,
      margins: Object.assign({}, ...invocation.option(COMPARE.margin)),
      // Agents report their requests only after the segment.
      isSegmentFixed: segmentMs !== undefined || a.agents !== undefined || sessions !== undefined,
      warmupMs: Math.min(WARMUP_MS_MOST, segment.durationMs / WARMUP_PARTS),
      restMs: invocation.option(COMPARE.rest),
      isOneAtATime: invocation.option(COMPARE.oneAtATime),
      seed,
    },
    isAnyway: invocation.option(COMPARE.anyway),
    // One file of facts for both sides is one model.
    isSameModel: invocation.option(COMPARE.sameModel) || (a.facts !== undefined && a.facts === b.facts),
    startMsMax: invocation.option(COMPARE.startTimeout),
    isOneAtATime: invocation.option(COMPARE.oneAtATime),
    resume: keptCall({ urlA, urlB, a, b }, state),
    location,
    mode: displayMode(
      state.stdout,
      invocation.option(BENCH.json) || invocation.option(BENCH.quiet) || isFormPrinted(invocation),
    ),
    notices: [...new Set([...a.notices, ...b.notices])],
  };
};

/** Without secrets, and without commands that start a server: those come from a command line, and from nothing that was stored. */
const keptCall = (
  {
    urlA,
    urlB,
    a,
    b,
  }: { readonly urlA: string; readonly urlB: string; readonly a: RequestedSide; readonly b: RequestedSide },
  state: ProcessState,
): SweepResume => {
  const [shownA, shownB] = [a.request.target.shown, b.request.target.shown];
  const kept = keptCommand({
    options: COMPARE_OPTIONS.filter(
      option => option.startsProgram !== true && option !== COMPARE.a && option !== COMPARE.b,
    ),
    args: state.args.slice(1),
    url: shownA,
    shownUrl: shownA,
    cwd: state.cwd,
    env: state.env,
  });
  return {
    ...kept,
    args: ['--a', shownA, '--b', shownB, ...kept.args.slice(1)],
    secrets: [
      ...(urlA === shownA ? [] : ['--a']),
      ...(urlB === shownB ? [] : ['--b']),
      ...(a.startCommand === undefined ? [] : ['--a-start']),
      ...(b.startCommand === undefined ? [] : ['--b-start']),
      ...kept.secrets,
    ],
  };
};

/**
 * Both segments of a pair play the same sessions to their end. In a given time the faster server would get further into
 * its sessions, and would be measured with longer prompts.
 * @returns undefined: requests are independent
 */
const sessionsOfSegment = (
  invocation: Invocation,
  { pattern, samplesMax }: RequestedSide['request'],
): number | undefined => {
  if (!hasSessions(invocation)) return undefined;
  if (samplesMax === undefined)
    throw usage(
      'a comparison of sessions needs their number, so that both servers play the same ones to their end',
      'Write how many a segment plays: --sessions 100',
    );
  if (pattern.kind === 'concurrency' && samplesMax < SESSIONS_PER_LANE * pattern.concurrency)
    throw usage(
      `--sessions ${samplesMax} is too few for ${pattern.concurrency} at a time: most of a segment would be its start and its end`,
      `Write --sessions ${SESSIONS_PER_LANE * pattern.concurrency} or more, or a lower --concurrency.`,
    );
  return samplesMax;
};

export const sideGiven = (invocation: Invocation, letter: 'a' | 'b'): string => {
  const url = invocation.option(COMPARE[letter]);
  if (url !== undefined) return url;
  throw usage(`--${letter} is missing`, 'Write: plimsoll compare --a URL --b URL, or two finished runs');
};

const checkServers = (
  a: RequestedSide,
  b: RequestedSide,
  isOneAtATime: boolean,
  { platform }: ProcessState,
): void => {
  const starts = [a.startCommand, b.startCommand].filter(command => command !== undefined);
  if (isOneAtATime && starts.length < 2)
    throw usage(
      '--one-at-a-time needs --a-start and --b-start',
      'It stops one server before it starts the other.',
    );
  if (starts.length > 0 && platform === 'win32')
    throw usage('--a-start and --b-start need process groups', 'Start the servers yourself on Windows.');
  const isSame = a.request.target.shown === b.request.target.shown;
  if (isSame && a.facts !== b.facts)
    throw usage(
      '--b-facts cannot be distinguished from --facts: A and B have the same address',
      'Give them different ports, or leave out --b-facts.',
    );
  if (isSame && starts.length > 0 && !isOneAtATime)
    throw usage(
      'A and B have the same address, and a server is started there',
      'Give them different ports, or add --one-at-a-time.',
    );
};

const RESUME_CONFLICTS: readonly string[] = [
  COMPARE.resume,
  COMPARE.a,
  COMPARE.b,
  COMPARE.aStart,
  COMPARE.bStart,
  BENCH.json,
  BENCH.quiet,
  BENCH.home,
  BENCH.agents,
  BENCH.header,
  BENCH.headerFile,
  BENCH.apiKeyFile,
  FORM.as,
  FORM.to,
  ...GATE_FILES,
].map(({ name }) => name);
const WARMUP_MS_MOST = 15_000;
const WARMUP_PARTS = 6;
/** The first and the last session of each slot run at other loads than those between. */
const SESSIONS_PER_LANE = 4;
