// The options of `plimsoll bench` for how the load changes over time and what limits it, and how they combine.

import { maximumOf } from '../../core/extremes.ts';
import { excludes, needs, nonEmpty, optionsIn } from '../../core/option/option.ts';
import { duration, wholeNumberFrom } from '../../core/option/option-values.ts';
import { type Arrival, isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import type { RunShape } from '../../core/run/run-shape.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { unknown } from '../../core/unknown.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { type LoadStages, readLoadStages } from './load-stages.ts';

const { value } = optionsIn('Load');

const DAY_MS = 86_400_000;

/** In the order of --help. Times are milliseconds. */
export const SHAPE = {
  stages: value({
    name: 'stages',
    rules: [excludes(['requests', 'duration'], { advice: 'Each stage has its own duration.' })],
    valueName: 'LIST|FILE',
    meaning: 'A load that moves: rate=5:30s,5..20:1m, concurrency=4:30s,16:30s, or a TOML file.',
    reads: text => (/^(rate|concurrency)=/.test(text) ? undefined : text),
    parse: nonEmpty,
  }),
  maxInFlight: value({
    name: 'max-in-flight',
    rules: [needs({ rate: '10', rates: '1..64x2', stages: 'LIST', trace: 'FILE' })],
    valueName: 'C',
    meaning:
      'With a rate: hold arrivals back beyond this many in flight; the time held back is reported separately.',
    parse: wholeNumberFrom(1, 20_000),
  }),
  ramp: value({
    name: 'ramp',
    rules: [excludes(['no-warmup'])],
    valueName: 'D',
    meaning: 'Raise the load to its full value over this time, before the measured phase.',
    parse: duration(1, DAY_MS),
  }),
  warmupDuration: value({
    name: 'warmup-duration',
    rules: [excludes(['no-warmup'])],
    valueName: 'D',
    meaning: 'Send the full load for this long before the measured phase.',
    parse: duration(1, DAY_MS),
  }),
};

/** @throws CommandError for a text or file that has no stages. */
export const givenStages = async (invocation: Invocation, cwd: string): Promise<LoadStages | undefined> => {
  const text = invocation.option(SHAPE.stages);
  return text === undefined ? undefined : await readLoadStages(text, cwd);
};

/** The highest level: what versions before stages see of the load. */
export const stagesPattern = ({ by, steps }: LoadStages, arrival: Arrival | undefined): RunPattern => {
  const level = maximumOf(steps.flatMap(({ from, to }) => [from, to]));
  if (by === 'rate') return { ...(arrival ?? { kind: 'poisson' }), requestsPerSecond: level };
  if (arrival === undefined) return { kind: 'concurrency', concurrency: level };
  throw usage(
    '--arrival and --burstiness have no effect on stages of concurrency',
    'Leave it out, or give stages of rates.',
  );
};

/** @throws CommandError `usage` for what has no effect. */
export const runShape = (
  invocation: Invocation,
  pattern: RunPattern,
  stages: LoadStages | undefined,
  isReplay: boolean,
): RunShape => {
  const inFlightCap = invocation.option(SHAPE.maxInFlight);
  if (inFlightCap !== undefined && !isOpenLoop(pattern) && !isReplay) {
    throw usage(
      '--max-in-flight has no effect without a rate',
      `Write: ${shellCommand`--rate 10 --max-in-flight ${inFlightCap}`}, or ${shellCommand`--concurrency ${inFlightCap}`} alone.`,
    );
  }
  return {
    rampMs: invocation.option(SHAPE.ramp) ?? 0,
    warmupMs: invocation.option(SHAPE.warmupDuration) ?? 0,
    inFlightCap: inFlightCap ?? unknown('not limited'),
    steps: stages?.steps ?? [],
    sessions: unknown('requests are independent'),
    trace: unknown('no trace is replayed'),
  };
};
