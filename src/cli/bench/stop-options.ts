// `--stop-when`, `--keep-going` and `--grace`: what ends a run before its limits, and how long it waits behind them.

import { excludes, optionsIn } from '../../core/option/option.ts';
import { duration } from '../../core/option/option-values.ts';
import { parseStopRule } from '../../core/run/parse-stop-rule.ts';
import { STOP_RULES_MAX, type StopRule, type StopRules } from '../../core/run/run-stop.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';

const { flag, repeated, valueOr } = optionsIn('When a run ends');

/** In the order of --help. Times are milliseconds. */
export const STOP = {
  // k6 waits as long (gracefulStop): longer than most answers take, and short enough for a person to wait.
  grace: valueOr({
    name: 'grace',
    fallback: '30s',
    rules: [
      excludes(['requests', 'sessions'], {
        because: 'a given number of requests is always completed',
        advice: 'Leave it out, or write: --duration 30s --grace 10s',
      }),
    ],
    valueName: 'D',
    meaning:
      'Wait this long for requests in flight after --duration, then cancel them; they are counted separately.',
    parse: duration(0, 86_400_000),
  }),
  stopWhen: repeated<StopRule>({
    name: 'stop-when',
    valueName: 'RULE',
    meaning: "Stop the run if more requests fail than this: 'failures > 50% over 10s'.",
    parse: parseStopRule,
  }),
  keepGoing: flag(
    'keep-going',
    'Send the load even if the server refuses the warm-up, or nothing succeeds for 30 s.',
  ),
};

/** @throws CommandError `usage` for too many rules. */
export const stopRules = (invocation: Invocation): StopRules => {
  const when = invocation.option(STOP.stopWhen);
  if (when.length > STOP_RULES_MAX)
    throw new CommandError(
      'usage',
      `${when.length} rules of --stop-when are too many`,
      `Give at most ${STOP_RULES_MAX}.`,
    );
  return { when, keepsGoing: invocation.option(STOP.keepGoing) };
};

/** Of a load that ends after a time. */
export const graceShape = (
  invocation: Invocation,
  durationMs: number | undefined,
): { readonly graceMs?: number } =>
  durationMs === undefined ? {} : { graceMs: invocation.option(STOP.grace) };
