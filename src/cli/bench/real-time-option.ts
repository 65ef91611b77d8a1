// `--real-time`: load threads that other programs of the machine do not keep waiting.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { flag, type Invocation, type Option } from '../command.ts';
import { CommandError } from '../command-error.ts';

export interface RealTimeOption {
  readonly realTime: Option<boolean>;
}

export const REAL_TIME: RealTimeOption = {
  realTime: flag(
    'real-time',
    'Let the threads that send and stamp run before every other program, where the system allows it (Linux, as root); the report says so.',
  ),
};

/** @throws CommandError `usage` where one of `elsewhere`, the options that let other machines make the load, was given */
export const realTimePriority = (
  invocation: Invocation,
  elsewhere: readonly string[],
): Pick<BenchRequest, 'hasRealTimeThreads'> => {
  if (!invocation.option(REAL_TIME.realTime)) return {};
  const [other] = elsewhere;
  if (other === undefined) return { hasRealTimeThreads: true };
  throw new CommandError(
    'usage',
    `--real-time has no effect with ${other}: other machines make the load`,
    'Leave one of them out.',
  );
};
