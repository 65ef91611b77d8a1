// The options of `plimsoll line`: those of a run for the requests and the target, and those of the search.

import type { SearchOptions } from '../../bench/line/line-search.ts';
import type { StageTier } from '../../bench/sweep/run-stage.ts';
import { exactPercent, type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { isSet, needs, type Option, optionsIn } from '../../core/option/option.ts';
import { decimalFrom, duration } from '../../core/option/option-values.ts';
import type { Objective } from '../../core/run/objective.ts';
import { parseObjectives } from '../../core/run/parse-objective.ts';
import { type Arrival, burstinessOf } from '../../core/run/run-pattern.ts';
import { TIERS_MAX } from '../../core/sweep/stage.ts';
import { requestedArrival } from '../bench/arrival-options.ts';
import { BENCH, benchOptionsWithout } from '../bench/bench-options.ts';
import { type ParsedBenchOptions, requestedObjectives } from '../bench/parse-bench-options.ts';
import { REPLAY } from '../bench/replay-options.ts';
import { hasSessions } from '../bench/session-options.ts';
import { notCounted } from '../bench/tokenizer-option.ts';
import type { Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { seriesForm } from '../report/form-options.ts';
import { notRepeated, SWEEP } from './sweep-options.ts';

const { choice, repeated, value, valueOr } = optionsIn('Search');

const percentFrom =
  (min: number, max: number) =>
  (text: string): Parsed<number> => {
    const [, digits = ''] = /^(\d{1,3}(?:\.\d{1,4})?)\s*%$/.exec(text) ?? [];
    const percent = digits === '' ? Number.NaN : Number(digits);
    return percent >= min && percent <= max
      ? parsed(exactPercent(digits))
      : wrong(
          `${JSON.stringify(text.slice(0, 40))} is not a share from ${min}% to ${max}%`,
          `Write it in per cent: ${min}%`,
        );
  };

const LOAD_MAX = 10_000;

const parseTier = (text: string): Parsed<StageTier> => {
  const [, name = '', objectives = ''] = /^([A-Za-z][\w-]{0,31})=(.+)$/.exec(text) ?? [];
  if (name === '')
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} is not a tier`,
      'Write a name and its objectives: --slo-tier gold=ttft.p95=200ms',
    );
  const read = parseObjectives(objectives);
  return read.kind === 'wrong' ? read : parsed({ name, objectives: read.value });
};

/** In the order of --help. */
export const LINE = {
  tiers: repeated<StageTier>({
    name: 'slo-tier',
    rules: [needs({ slo: 'ttft.p95=1s' })],
    valueName: 'NAME=OBJECTIVE',
    meaning: `Objectives of a further tier, with a result of its own from the same stages: gold=ttft.p95=200ms. At most ${TIERS_MAX}.`,
    parse: parseTier,
  }),
  by: choice({
    name: 'by',
    isCommon: true,
    meaning:
      'What is searched: requests a second (rate, default), requests in flight, or sessions at a time.',
    choices: ['rate', 'concurrency', 'sessions'],
  }),
  resolution: valueOr({
    name: 'resolution',
    fallback: '5%',
    valueName: 'P%',
    meaning: 'How far apart the two ends may be.',
    parse: percentFrom(0.5, 100),
  }),
  budget: valueOr({
    name: 'budget',
    fallback: '15m',
    isCommon: true,
    valueName: 'D',
    meaning: 'Time for the whole search. What is known by then is the result.',
    parse: duration(10_000, 7 * 86_400_000),
  }),
  highestLoad: value({
    name: 'load-max',
    isCommon: true,
    valueName: 'N',
    meaning: 'Never more than this: requests a second, or in flight, or sessions. Default: 10000 or 1024.',
    parse: decimalFrom(0.001, LOAD_MAX, {
      what: 'load',
      advice: 'It is requests a second, or in flight: --load-max 100',
    }),
  }),
  confidence: valueOr({
    name: 'confidence',
    fallback: '95%',
    valueName: 'P%',
    meaning: 'The confidence of each verdict on a load.',
    parse: percentFrom(50, 99.9),
  }),
  resume: {
    ...SWEEP.resume,
    group: 'Search',
    meaning:
      'Resume a search, by its id or directory, that was stopped or crashed; the stages that ended are kept.',
  },
};

/** Loads are the search's own, and so are the ends of its stages. */
const NOT_OF_A_LINE: readonly Option<unknown>[] = [
  BENCH.scenario,
  BENCH.weights,
  BENCH.tokenizer,
  BENCH.requests,
  BENCH.duration,
  BENCH.concurrency,
  BENCH.concurrencyOf,
  BENCH.sessions,
  BENCH.rate,
  BENCH.maxThroughput,
  BENCH.ramp,
  BENCH.warmupDuration,
  BENCH.maxInFlight,
  BENCH.stages,
  BENCH.maxFailures,
  BENCH.requireTrustworthy,
  BENCH.attainment,
  BENCH.probeRate,
  BENCH.json,
  BENCH.webhook,
  BENCH.quiet,
  BENCH.out,
  BENCH.repeat,
  BENCH.like,
  BENCH.save,
  BENCH.as,
  BENCH.to,
  BENCH.profile,
  BENCH.depths,
  BENCH.repetitions,
  BENCH.slo,
  // Its stages play conversations again by themselves, each load from the same state of the cache.
  REPLAY.prime,
  REPLAY.recycle,
  REPLAY.longestIdle,
  REPLAY.nonceOf,
];

export const LINE_OPTIONS: readonly Option<unknown>[] = [
  BENCH.slo,
  BENCH.attainment,
  ...Object.values(LINE),
  notCounted('line', 'it decides while a load runs, by what the server reports for each answer'),
  notRepeated('line', 'its bracket is two loads, each measured twice already'),
  ...benchOptionsWithout(NOT_OF_A_LINE),
  ...seriesForm('stage-01'),
  { ...BENCH.out, meaning: 'The directory of the line itself, new or empty. Default: <home>/runs/<id>.' },
  { ...BENCH.json, meaning: 'Print line.json alone.' },
  { ...BENCH.quiet, meaning: 'Print the result alone: no progress, no notices.' },
];

/** @throws CommandError `usage`. */
export const searchOptions = (invocation: Invocation): SearchOptions => {
  const by = invocation.option(LINE.by) ?? 'rate';
  const isOfSessions = by === 'sessions';
  const trace = invocation.option(REPLAY.trace);
  if (trace !== undefined && !isOfSessions)
    throw usage(
      `a trace has its own times: there is no ${by} to search`,
      'Search how many of its conversations at a time: --by sessions',
    );
  if (hasSessions(invocation) && !isOfSessions)
    throw new CommandError(
      'usage',
      `sessions cannot be searched by ${by}: their turns wait for each other`,
      'Search how many sessions at a time: --by sessions',
    );
  if (isOfSessions && !hasSessions(invocation) && trace === undefined)
    throw new CommandError(
      'usage',
      '--by sessions needs sessions: here requests are independent',
      'Generate chats with --turns 4, play those of a data set with --multi-turn, or a trace of conversations with --trace.',
    );
  if (isOfSessions && isSet(invocation, LINE.tiers))
    throw usage(
      '--by sessions and --slo-tier cannot be combined',
      'Search each tier alone: --by sessions --slo …',
    );
  if (isOfSessions && (isSet(invocation, BENCH.from) || isSet(invocation, BENCH.agents)))
    throw new CommandError(
      'usage',
      '--by sessions and agents cannot be combined: agents do not report to which session a request in flight belongs',
      'Search from this machine, or try single loads: plimsoll sweep URL --turns 4 --concurrency 1..64x2 --from NODE',
    );
  return {
    by: by === 'rate' ? by : 'concurrency',
    ...(isOfSessions ? { concurrencyOf: 'sessions' } : {}),
    arrival: arrivalOfLine(invocation),
    resolution: invocation.option(LINE.resolution),
    loadMax: invocation.option(LINE.highestLoad) ?? (by === 'rate' ? LOAD_MAX : CONCURRENCY_MAX),
  };
};

/** Each as `--slo` would be. @throws CommandError `usage` */
export const requestedTiers = (
  invocation: Invocation,
  run: Pick<ParsedBenchOptions, 'pattern' | 'isStreaming'>,
): readonly StageTier[] => {
  const tiers = invocation.option(LINE.tiers);
  if (tiers.length > TIERS_MAX)
    throw usage(`--slo-tier is given ${tiers.length} times`, `Use at most ${TIERS_MAX}.`);
  const names = tiers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw usage(`--slo-tier ${twice} is given twice`, 'Write all of its objectives at once, with commas.');
  for (const { objectives } of tiers) {
    requestedObjectives({ slo: objectives, isAttainmentSet: false }, { ...run, hasSessions: false });
    attainmentOfLine(invocation, objectives);
  }
  return tiers;
};

const arrivalOfLine = (invocation: Invocation): Arrival => {
  const arrival = requestedArrival(invocation) ?? { kind: 'poisson' };
  if (burstinessOf(arrival) < LINE_BURSTINESS_MIN)
    throw new CommandError(
      'usage',
      `a load line cannot be searched with a burstiness below ${LINE_BURSTINESS_MIN}: a stage has too few bursts, so that a queue is seldom known to be stable`,
      'Try single loads: plimsoll sweep URL --rates 1..64x2 --burstiness 0.05 --duration 10m',
    );
  return arrival;
};

/**
 * What is asked of the requests at a load that holds. That each of them would meet a limit no number of them proves, so that a search would
 * find nothing.
 * @throws CommandError `usage`.
 */
export const attainmentOfLine = (invocation: Invocation, objectives: readonly Objective[]): number => {
  const attainment = invocation.option(BENCH.attainment);
  if (attainment === 1 && objectives.some(({ kind }) => kind === 'request'))
    throw new CommandError(
      'usage',
      '--attainment 100% can hold at no load: no number of requests proves that none will miss it',
      'Write a share that can be confirmed: --attainment 99%',
    );
  if (objectives.some(objective => objective.kind === 'error-rate' && objective.limitShare === 0))
    throw new CommandError(
      'usage',
      '--slo error-rate=0% can hold at no load: no number of requests proves that none will fail',
      'Write a rate that can be confirmed, with some 4,000 requests at each load: --slo error-rate=0.1%',
    );
  return attainment;
};

/** In simulated stages of 6,000 requests at 0.9 times the capacity, 0.1 leaves two thirds undecided. */
const LINE_BURSTINESS_MIN = 0.1;
const CONCURRENCY_MAX = 1_024;
