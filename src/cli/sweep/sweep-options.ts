// The options of `plimsoll sweep`: those of a benchmark for the requests and the target, and its own for the loads.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, nonEmpty, type Option, optionsIn } from '../../core/option/option.ts';
import { duration, requestRate, wholeNumberFrom } from '../../core/option/option-values.ts';
import { pushAll } from '../../core/push-all.ts';
import { type StageLoad, stageRate } from '../../core/sweep/stage.ts';
import { STAGES_MAX } from '../../core/sweep/sweep-document.ts';
import { requestedArrival } from '../bench/arrival-options.ts';
import { BENCH, benchOptionsWithout } from '../bench/bench-options.ts';
import { CANCEL } from '../bench/cancel-options.ts';
import { CHECKS } from '../bench/check-options.ts';
import { DEPTH } from '../bench/depth-options.ts';
import { IMAGES } from '../bench/image-options.ts';
import { REPLAY } from '../bench/replay-options.ts';
import { hasSessions } from '../bench/session-options.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { seriesForm } from '../report/form-options.ts';

const { flag, value, valueOr } = optionsIn('Stages');

// The loads of a sweep as people write them: "1,2,4,8", "1..256x2" (each twice the one before), "10..50+10" (ten more each time).

/** `readLevel` reads one number, with its bounds. */
export const loadLevels =
  (readLevel: (text: string) => Parsed<number>) =>
  (text: string): Parsed<readonly number[]> => {
    const levels: number[] = [];
    for (const item of text.split(',')) {
      const read = itemLevels(item.trim(), readLevel);
      if (read.kind === 'wrong') return read;
      pushAll(levels, read.value);
      if (levels.length > STAGES_MAX) {
        return wrong(`more than ${STAGES_MAX} loads`, 'Take larger steps, or a smaller range.');
      }
    }
    const twice = levels.find((level, index) => levels.indexOf(level) !== index);
    return twice === undefined
      ? parsed(levels)
      : wrong(`the load ${twice} is given twice`, 'Each load is one stage: give it once.');
  };

const itemLevels = (item: string, readLevel: (text: string) => Parsed<number>): Parsed<readonly number[]> => {
  const [, first, last, sign, step] = /^([\d.]+?)\.\.([\d.]+)([x+])([\d.]+)$/.exec(item) ?? [];
  if (first === undefined || last === undefined || step === undefined) {
    const level = readLevel(item);
    if (level.kind === 'ok') return parsed([level.value]);
    return /\.\./.test(item)
      ? wrong(
          `${JSON.stringify(item.slice(0, 40))} is not a range of loads`,
          'Write FROM..TOxFACTOR or FROM..TO+STEP: 1..256x2, 10..50+10',
        )
      : level;
  }
  const [from, to] = [readLevel(first), readLevel(last)];
  if (from.kind === 'wrong') return from;
  if (to.kind === 'wrong') return to;
  const by = Number(step);
  const isRising = sign === 'x' ? by > 1 : by > 0;
  if (!isRising || !Number.isFinite(by) || from.value > to.value) {
    return wrong(
      `${JSON.stringify(item.slice(0, 40))} never rises`,
      'Write it from the least: 1..256x2, 10..50+10',
    );
  }
  const levels: number[] = [];
  for (let index = 0; ; index += 1) {
    // From the start each time, so that nothing adds up; digits past those that one can type are none that anybody asked for.
    const exact = sign === 'x' ? from.value * by ** index : from.value + by * index;
    const level = readLevel(String(Number(exact.toFixed(6))));
    if (exact > to.value * (1 + 1e-9)) return parsed(levels);
    if (level.kind === 'wrong') return level;
    levels.push(level.value);
    if (levels.length > STAGES_MAX) return parsed(levels);
  }
};

export const SWEEP = {
  rates: value({
    name: 'rates',
    rules: [excludes(['concurrency'], { advice: 'Run a sweep of each.' })],
    isCommon: true,
    valueName: 'LIST',
    meaning: 'Requests a second, one stage each: 1,2,4,8 or 1..64x2 or 10..50+10.',
    parse: loadLevels(requestRate),
  }),
  concurrency: value({
    name: 'concurrency',
    isCommon: true,
    valueName: 'LIST',
    meaning: 'Requests in flight, one stage each: 1,8,64 or 1..256x2.',
    parse: loadLevels(wholeNumberFrom(1, 20_000)),
  }),
  pause: valueOr({
    name: 'pause',
    fallback: '1s',
    valueName: 'D',
    meaning: 'The pause between two stages.',
    parse: duration(0, 3_600_000),
  }),
  keepGoing: flag(
    'keep-going',
    'Also try loads above one that is over capacity, and continue if the server refuses the warm-up or nothing succeeds for 30 s.',
  ),
  resume: value({
    name: 'resume',
    isOfOneCall: true,
    isCommon: true,
    valueName: 'DIR',
    meaning:
      'Resume a sweep, by its id or directory, that was stopped or crashed; the stages that ended are kept.',
    parse: nonEmpty,
  }),
  out: value({
    name: 'out',
    isOfOneCall: true,
    valueName: 'DIR',
    meaning: 'The directory of the sweep, new or empty. Default: <home>/runs/<id>.',
    parse: nonEmpty,
  }),
  json: flag('json', 'Print sweep.json alone.', { isOfOneCall: true }),
};

/** Refused with a message: a person who repeats runs looks for the option here too. */
export const notRepeated = (command: 'sweep' | 'line', reason: string): Option<undefined> =>
  value({
    name: 'repeat',
    valueName: 'K',
    meaning: `Refused: ${reason}. Repeat one load instead: plimsoll bench --repeat.`,
    parse: () =>
      wrong(
        `a ${command} is not repeated as a whole: ${reason}`,
        'Repeat one of its loads: plimsoll bench URL --rate R --repeat 5',
      ),
  });

/** Loads and their ends are those of the stages, and so is the number of sessions. */
const NOT_OF_A_SWEEP: readonly Option<unknown>[] = [
  BENCH.scenario,
  BENCH.weights,
  BENCH.requests,
  BENCH.concurrency,
  BENCH.rate,
  BENCH.maxThroughput,
  BENCH.stages,
  BENCH.systemPrompt,
  BENCH.sessions,
  BENCH.keepGoing,
  BENCH.hasRealTimeThreads,
  BENCH.probeRate,
  BENCH.maxFailures,
  BENCH.out,
  BENCH.repeat,
  BENCH.like,
  BENCH.save,
  BENCH.as,
  BENCH.to,
  BENCH.json,
  BENCH.webhook,
  ...Object.values<Option<unknown>>({ ...REPLAY, ...DEPTH, ...IMAGES, ...CHECKS, ...CANCEL }),
];

/** In the order of --help. */
export const SWEEP_OPTIONS: readonly Option<unknown>[] = [
  ...Object.values<Option<unknown>>({ ...SWEEP }),
  notRepeated('sweep', 'its stages are different loads, which do not show how much runs of one load differ'),
  ...benchOptionsWithout(NOT_OF_A_SWEEP),
  ...seriesForm('stage-01'),
];

/** @throws CommandError `usage` unless it is one of the two. */
export const requestedLoads = (invocation: Invocation): readonly StageLoad[] => {
  const ofRates = invocation.option(SWEEP.rates);
  const ofUsers = invocation.option(SWEEP.concurrency);
  const arrival = requestedArrival(invocation) ?? { kind: 'poisson' };
  if (ofRates !== undefined && hasSessions(invocation))
    throw usage(
      '--rates and sessions cannot be combined: sessions of one rate go on adding requests for as long as the longest of them lasts, which looks like a load over capacity',
      'Use --concurrency 1..64x2, which counts sessions, or a run for each rate: plimsoll bench --rate',
    );
  if (ofRates !== undefined) return ofRates.map(requestsPerSecond => stageRate(requestsPerSecond, arrival));
  if (ofUsers !== undefined) return ofUsers.map(users => ({ kind: 'concurrency', concurrency: users }));
  throw usage('a sweep needs its loads', 'Write: --rates 1..64x2, or --concurrency 1..256x2');
};

/** The options of a benchmark of the first load, so that everything else means the same in both. */
export const asBench = (invocation: Invocation, [first]: readonly StageLoad[]): Invocation =>
  withTexts(
    invocation,
    new Map([
      [BENCH.rate.name, first?.kind === 'rate' ? [String(first.requestsPerSecond)] : []],
      [BENCH.concurrency.name, first?.kind === 'concurrency' ? [String(first.concurrency)] : []],
    ]),
  );

/** The same, but of some options as if these texts had been given. */
const withTexts = (invocation: Invocation, texts: ReadonlyMap<string, readonly string[]>): Invocation => ({
  arguments: invocation.arguments,
  option: option => {
    const given = texts.get(option.name);
    if (given === undefined) return invocation.option(option);
    const read = option.read(given);
    if (read.kind === 'ok') return read.value;
    throw usage(`--${option.name}: ${read.problem}`, read.advice);
  },
});
