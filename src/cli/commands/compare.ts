// `plimsoll compare --a URL --b URL`: whether one server is really faster than another, by interleaved pairs of segments.

import { resolve } from 'node:path';
import { resolveHome } from '../../config/home.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { defaultPrimary } from '../../core/comparison/comparison-metrics.ts';
import { comparisonText } from '../../core/comparison/comparison-text.ts';
import { gateLines } from '../../core/comparison/gate-words.ts';
import { pairPlan, SEGMENT_RULES, USUAL_LOOKS } from '../../core/comparison/pair-plan.ts';
import { comparisonToJson } from '../../wire/comparison-schema.ts';
import { headersToSend, namedAgents } from '../agent/load-agents.ts';
import { BENCH } from '../bench/bench-options.ts';
import { benchWish } from '../bench/bench-wish.ts';
import { proxyNotices } from '../bench/request-headers.ts';
import { displayMode } from '../bench/run-display.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { COMPARE, COMPARE_OPTIONS, LIVE_ONLY } from '../compare/compare-options.ts';
import type { AskedSide } from '../compare/compared-servers.ts';
import { isEndpoint } from '../compare/finished-sides.ts';
import { gated, gateExit, writeGateFiles } from '../compare/gate-options.ts';
import type { CompareStart } from '../compare/start-compare.ts';
import type { ExitCode, ExitName } from '../exit-codes.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { commandText, keptCommand } from '../sweep/kept-command.ts';

export const compareCommand: Command = {
  name: 'compare',
  summary: 'Find out whether one server is really faster than another',
  description:
    'Loads both in turn, in pairs of segments with the same requests, and takes the pair as its unit: requests of one queue are\nnot independent. After 6, 8 and 12 pairs it looks whether B is better, worse or the same, else it says how many pairs would\ndecide. Ends with 18 when B is worse, 19 when nothing is decided, 20 when the two cannot be compared.',
  arguments: [],
  options: COMPARE_OPTIONS,
  examples: [
    {
      line: 'plimsoll compare --a http://127.0.0.1:8000 --b http://127.0.0.1:8001 --rate 8',
      meaning: 'both at 8 requests a second; about 13 minutes to the first look',
    },
    {
      line: "plimsoll compare --a URL --b URL --b-start 'vllm serve M --port 8001 --max-num-batched-tokens 2048'",
      meaning: 'start B, and end it afterwards',
    },
    {
      line: "plimsoll compare --a runs:tag=before --b runs:tag=after --fail-if 'ttft.p90 > +5%'",
      meaning: 'two sets of finished runs, with a gate for CI',
    },
    {
      line: 'plimsoll compare --a URL --b URL --margin 2% --primary output.rate',
      meaning: 'what decides, and by how much',
    },
  ],
  run: async (invocation, state) => {
    const b = sideGiven(invocation, 'b');
    const name = invocation.option(COMPARE.baseline);
    if (name !== undefined) {
      if (invocation.option(COMPARE.a) !== undefined)
        throw usage('--a and --baseline cannot be combined', 'The baseline takes the place of A.');
      if (isEndpoint(b))
        throw usage(
          'a baseline is compared with runs that have ended',
          'Run B first: plimsoll bench URL --repeat 5',
        );
      const { compareEnded } = await loadEnded();
      return await toldEnded(await compareEnded({ a: { kind: 'baseline', name }, b }, invocation, state), {
        invocation,
        state,
      });
    }
    const a = sideGiven(invocation, 'a');
    if (isEndpoint(a) !== isEndpoint(b))
      throw usage('one side is an endpoint and the other has ended', 'Give two URLs, or two finished runs.');
    if (!isEndpoint(a)) {
      const idle = LIVE_ONLY.find(option => (invocation.option(option) ?? false) !== false);
      if (idle !== undefined)
        throw usage(`--${idle.name} has no effect on finished runs`, 'Leave it out, or give two URLs.');
      const { compareEnded } = await loadEnded();
      return await toldEnded(await compareEnded({ a: { kind: 'runs', text: a }, b }, invocation, state), {
        invocation,
        state,
      });
    }
    const start = await compareStart(invocation, state);
    const isQuiet = invocation.option(BENCH.quiet);
    const { startCompare } = await loadCompare();
    const end = await startCompare(state, start);
    const { document, directory } = end;
    if (!isQuiet) for (const notice of end.notices) await state.stderr.write(`plimsoll: ${notice}\n`);
    for (const problem of end.diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
    const { writeGated } = await loadKept();
    const unwritten = await writeGated(directory, gated(document, invocation));
    for (const problem of unwritten) await state.stderr.write(`plimsoll: ${problem}\n`);
    const diskProblems = [...end.diskProblems, ...unwritten];
    return await told(document, { invocation, state, directory, diskProblems });
  },
};

interface TellContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
  /** Of its own. */
  readonly directory?: string;
  readonly diskProblems?: readonly string[];
}

/** Kept in the home, to be found again; a home that cannot be used loses nothing of what is told. */
const toldEnded = async (
  document: ComparisonDocument,
  { invocation, state }: Pick<TellContext, 'invocation' | 'state'>,
): Promise<ExitCode> => {
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  const out = invocation.option(BENCH.out);
  const { keepEnded } = await loadKept();
  const kept = await keepEnded(gated(document, invocation), {
    home,
    out: out === undefined ? undefined : resolve(state.cwd, out),
  });
  for (const problem of kept.problems) await state.stderr.write(`plimsoll: ${problem}\n`);
  return await told(document, {
    invocation,
    state,
    ...(kept.directory === undefined ? {} : { directory: kept.directory }),
  });
};

const told = async (
  document: ComparisonDocument,
  { invocation, state, directory, diskProblems = [] }: TellContext,
): Promise<ExitCode> => {
  const judged = gated(document, invocation);
  const gate = gateLines(judged);
  const isJson = invocation.option(BENCH.json);
  if (isJson) await state.stdout.write(comparisonToJson(judged));
  else {
    const text = comparisonText(judged, state.stdout);
    const place = directory === undefined ? [] : ['', `Directory: ${directory}`];
    await state.stdout.write(
      `${[...text, ...(gate.length === 0 ? [] : ['', ...gate]), ...place].join('\n')}\n`,
    );
  }
  const wrote = await writeGateFiles(judged, { invocation, state });
  if (!isJson) await state.stdout.write(wrote);
  const exit = compareExit(judged, diskProblems);
  const { code } = EXIT_CODES[exit];
  if (gate.length > 0 && exit !== 'ok')
    await state.stderr.write(`plimsoll: ${gate[0]?.replace(/\.$/, '')} (code ${code})\n`);
  return code;
};

/** The gravest first. */
export const compareExit = (document: ComparisonDocument, diskProblems: readonly string[]): ExitName => {
  if (document.state === 'stopped') return 'benchInterrupted';
  if (document.state !== 'complete' || diskProblems.length > 0) return 'benchIncomplete';
  return gateExit(document);
};

const compareStart = async (invocation: Invocation, state: ProcessState): Promise<CompareStart> => {
  const agents = namedAgents(invocation);
  const [urlA, urlB] = [sideGiven(invocation, 'a'), sideGiven(invocation, 'b')];
  const notices = new Set<string>(proxyNotices(state.env));
  const side = async (url: string, letter: 'a' | 'b'): Promise<AskedSide> => {
    // Read as a benchmark of that URL would be, so that everything else means the same in both.
    const wish = benchWish({ ...invocation, arguments: [url] }, state.cwd);
    const { headers, notices: ofHeaders } = await headersToSend(agents, invocation, state, wish.target);
    for (const notice of ofHeaders) notices.add(notice);
    return {
      label: invocation.option(letter === 'a' ? COMPARE.aLabel : COMPARE.bLabel) ?? wish.target.shown,
      request: { ...wish, headers },
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
  const segment = { ...SEGMENT_RULES, ...(segmentMs === undefined ? {} : { durationMs: segmentMs }) };
  const rules = segmentMs === undefined ? segment : { ...segment, requests: 0, latencies: 0 };
  const { shown } = a.request.target;
  const kept = keptCommand({
    options: COMPARE_OPTIONS.filter(option => !NOT_KEPT.has(option.name)),
    args: state.args.slice(1),
    url: urlA,
    shownUrl: shown,
    cwd: state.cwd,
    env: state.env,
  });
  return {
    a,
    b,
    order: {
      plan: pairPlan(pairs === undefined ? USUAL_LOOKS : [pairs], rules),
      pattern,
      primary,
      margins: Object.assign({}, ...invocation.option(COMPARE.margin)),
      // Many machines tell of their requests only afterwards.
      isSegmentFixed: segmentMs !== undefined || agents !== undefined,
      warmupMs: Math.min(WARMUP_MS_MOST, segment.durationMs / WARMUP_PARTS),
      restMs: invocation.option(COMPARE.rest) ?? REST_MS,
      isOneAtATime: invocation.option(COMPARE.oneAtATime),
      seed,
    },
    isAnyway: invocation.option(COMPARE.anyway),
    agents,
    startMsMax: invocation.option(COMPARE.startTimeout) ?? START_MS,
    isOneAtATime: invocation.option(COMPARE.oneAtATime),
    command: commandText('compare', {
      args: ['--a', shown, '--b', b.request.target.shown, ...kept.args.slice(1)],
    }),
    home: resolveHome({ ...state, option: invocation.option(BENCH.home) }),
    out: invocation.option(BENCH.out),
    mode: displayMode(state.stdout, invocation.option(BENCH.json) || invocation.option(BENCH.quiet)),
    notices: [...notices],
  };
};

const loadKept = () => import('../compare/kept-comparison.ts');

const sideGiven = (invocation: Invocation, letter: 'a' | 'b'): string => {
  const url = invocation.option(COMPARE[letter]);
  if (url !== undefined) return url;
  throw usage(`--${letter} is missing`, 'Write: plimsoll compare --a URL --b URL, or two finished runs');
};

const checkServers = (
  a: AskedSide,
  b: AskedSide,
  isOneAtATime: boolean,
  { platform }: ProcessState,
): void => {
  const starts = [a.startCommand, b.startCommand].filter(command => command !== undefined);
  if (isOneAtATime && starts.length < 2)
    throw usage(
      '--one-at-a-time needs --a-start and --b-start',
      'It ends one server before it starts the other.',
    );
  if (starts.length > 0 && platform === 'win32')
    throw usage('--a-start and --b-start need process groups', 'Start the servers yourself on Windows.');
  const isSame = a.request.target.shown === b.request.target.shown;
  if (isSame && starts.length > 0 && !isOneAtATime)
    throw usage(
      'A and B have the same address, and a server is started there',
      'Give them different ports, or add --one-at-a-time.',
    );
};

/** Loaded late; and not beside an `await using`, where TypeScript 6.0 forgets to rewrite the path. */
const loadCompare = () => import('../compare/start-compare.ts');

const loadEnded = () => import('../compare/compare-ended.ts');

const usage = (problem: string, advice: string): CommandError => new CommandError('usage', problem, advice);

/** Commands that start a server are run from a command line, and from nothing that was stored. */
const NOT_KEPT: ReadonlySet<string> = new Set(['a', 'b', 'a-start', 'b-start']);
const REST_MS = 2_000;
const START_MS = 600_000;
const WARMUP_MS_MOST = 15_000;
const WARMUP_PARTS = 6;
