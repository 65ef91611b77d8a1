// `plimsoll compare --a URL --b URL`: whether one server is really faster than another, by interleaved pairs of segments.

import { resolve } from 'node:path';
import { resolveHome } from '../../config/home.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { isSet } from '../../core/option/option.ts';
import { failedStopReason } from '../../core/run/failed-stop.ts';
import { comparisonText } from '../../render/comparison/comparison-text.ts';
import { gateLines } from '../../render/comparison/gate-text.ts';
import { comparisonToJson } from '../../wire/stored-json.ts';
import { BENCH } from '../bench/bench-options.ts';
import type { Command, Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { newComparison, resumedComparison, sideGiven } from '../compare/compare-call.ts';
import { COMPARE, COMPARE_OPTIONS, LIVE_ONLY } from '../compare/compare-options.ts';
import { isEndpoint } from '../compare/finished-sides.ts';
import { gated, gateExit, writeGateFiles } from '../compare/gate-options.ts';
import { resumeText } from '../compare/resume-text.ts';
import type { CompareStart } from '../compare/start-compare.ts';
import { EXIT_CODES, type ExitCode, type ExitName } from '../exit-codes.ts';
import { TOOL_OPTIONS } from '../like/foreign-options.ts';
import type { ProcessState } from '../process-state.ts';
import { isFormPrinted } from '../report/form-options.ts';

export const compareCommand: Command = {
  name: 'compare',
  foreignOptions: TOOL_OPTIONS,
  summary: 'Find out whether one server is really faster than another',
  description:
    'Loads both in turn, in pairs of segments with the same requests. The pair is the unit, because requests of one queue are\nnot independent. After 6, 8 and 12 pairs it decides whether B is better, worse or the same; if it cannot, it states how many\npairs would be needed. Exits with 18 if B is worse, 19 if it is undecided, 20 if the two cannot be compared.',
  arguments: [],
  options: COMPARE_OPTIONS,
  prints: ['comparison'],
  examples: [
    {
      line: 'plimsoll compare --a http://127.0.0.1:8000 --b http://127.0.0.1:8001 --rate 8',
      meaning: 'both at 8 requests a second; about 13 minutes to the first look',
    },
    {
      line: "plimsoll compare --a URL --b URL --b-start 'vllm serve M --port 8001 --max-num-batched-tokens 2048'",
      meaning: 'start B, and stop it afterwards',
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
    const given = invocation.option(COMPARE.resume);
    if (given !== undefined) {
      const { start, invocation: requested } = await resumedComparison(
        given,
        invocation,
        state,
        compareCommand,
      );
      return await reportedLive(start, requested, state);
    }
    const b = sideGiven(invocation, 'b');
    const name = invocation.option(COMPARE.baseline);
    if (name !== undefined) {
      if (isEndpoint(b))
        throw usage(
          'a baseline is compared with runs that have ended',
          'Run B first: plimsoll bench URL --repeat 5',
        );
      const { compareEnded } = await loadEnded();
      return await reportedEnded(
        await compareEnded({ a: { kind: 'baseline', name }, b }, invocation, state),
        {
          invocation,
          state,
        },
      );
    }
    const a = sideGiven(invocation, 'a');
    if (isEndpoint(a) !== isEndpoint(b))
      throw usage(
        'one side is an endpoint, the other a finished run',
        'Give two URLs, or two finished runs.',
      );
    if (!isEndpoint(a)) {
      const idle = LIVE_ONLY.find(option => isSet(invocation, option));
      if (idle !== undefined)
        throw usage(`--${idle.name} has no effect on finished runs`, 'Leave it out, or give two URLs.');
      const { compareEnded } = await loadEnded();
      return await reportedEnded(await compareEnded({ a: { kind: 'runs', text: a }, b }, invocation, state), {
        invocation,
        state,
      });
    }
    return await reportedLive(await newComparison(invocation, state), invocation, state);
  },
};

/** Of two servers: measured, judged by its gate and kept. */
const reportedLive = async (
  start: CompareStart,
  invocation: Invocation,
  state: ProcessState,
): Promise<ExitCode> => {
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
  const code = await reported(document, { invocation, state, directory, diskProblems });
  if (document.state !== 'complete' && document.stopped === undefined)
    await state.stderr.write(`plimsoll: continue with: ${resumeText('compare', directory, document)}\n`);
  return code;
};

interface ReportContext {
  readonly invocation: Invocation;
  readonly state: ProcessState;
  /** Of its own. */
  readonly directory?: string;
  readonly diskProblems?: readonly string[];
}

/** Stored in the home to be found later; if the home cannot be used, the result is still reported in full. */
const reportedEnded = async (
  document: ComparisonDocument,
  { invocation, state }: Pick<ReportContext, 'invocation' | 'state'>,
): Promise<ExitCode> => {
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  const out = invocation.option(BENCH.out);
  const { keepEnded } = await loadKept();
  const kept = await keepEnded(gated(document, invocation), {
    home,
    out: out === undefined ? undefined : resolve(state.cwd, out),
  });
  for (const problem of kept.problems) await state.stderr.write(`plimsoll: ${problem}\n`);
  return await reported(document, {
    invocation,
    state,
    ...(kept.directory === undefined ? {} : { directory: kept.directory }),
  });
};

const reported = async (
  document: ComparisonDocument,
  { invocation, state, directory, diskProblems = [] }: ReportContext,
): Promise<ExitCode> => {
  const judged = gated(document, invocation);
  const gate = gateLines(judged);
  const isJson = invocation.option(BENCH.json);
  if (isJson) await state.stdout.write(comparisonToJson(judged));
  else if (!isFormPrinted(invocation)) {
    const text = comparisonText(judged, state.stdout);
    const lines = directory === undefined ? [] : ['', `Directory: ${directory}`];
    await state.stdout.write(
      `${[...text, ...(gate.length === 0 ? [] : ['', ...gate]), ...lines].join('\n')}\n`,
    );
  }
  const { printSeries, unitSeries } = await import('../report/foreign-report.ts');
  await printSeries(directory ?? state.cwd, unitSeries(judged), { invocation, state });
  const wrote = await writeGateFiles(judged, { invocation, state });
  if (!isJson && !isFormPrinted(invocation)) await state.stdout.write(wrote);
  const exit = compareExit(judged, diskProblems);
  const { code } = EXIT_CODES[exit];
  if (exit === 'benchStopped' && judged.stopped !== undefined)
    await state.stderr.write(`plimsoll: stopped ${failedStopReason(judged.stopped)} (code ${code})\n`);
  else if (gate.length > 0 && exit !== 'ok')
    await state.stderr.write(`plimsoll: ${gate[0]?.replace(/\.$/, '')} (code ${code})\n`);
  return code;
};

/** The gravest first. */
export const compareExit = (document: ComparisonDocument, diskProblems: readonly string[]): ExitName => {
  if (document.state === 'stopped') return 'benchInterrupted';
  if (document.stopped !== undefined) return 'benchStopped';
  if (document.state !== 'complete' || diskProblems.length > 0) return 'benchIncomplete';
  return gateExit(document);
};

const loadKept = () => import('../compare/kept-comparison.ts');

/** Loaded on demand, and not next to an `await using`: TypeScript 6.0 does not rewrite the path there. */
const loadCompare = () => import('../compare/start-compare.ts');

const loadEnded = () => import('../compare/compare-ended.ts');
