// How long a request may take, as a whole and in its parts.

import { type Option, type OptionReader, optionsIn } from '../../core/option/option.ts';
import { duration } from '../../core/option/option-values.ts';
import type { LoadTimeouts } from '../../core/run/load-request.ts';
import { CommandError } from '../command-error.ts';

const { value } = optionsIn('When requests end');

/** In the order of --help. */
export const TIMEOUTS = {
  timeout: value({
    name: 'timeout',
    valueName: 'D',
    meaning: 'The limit for a whole request. Default: 10m.',
    parse: duration(1, 86_400_000),
  }),
  timeoutConnect: value({
    name: 'timeout-connect',
    valueName: 'D',
    meaning: 'The limit for opening a connection, TLS included. Default: 10s.',
    parse: duration(1, 86_400_000),
  }),
  timeoutFirstByte: value({
    name: 'timeout-first-byte',
    valueName: 'D',
    meaning: 'The limit from the request to the first byte of the reply. Default: 5m.',
    parse: duration(1, 86_400_000),
  }),
  timeoutIdle: value({
    name: 'timeout-idle',
    valueName: 'D',
    meaning: 'The limit between two reads of a reply. Default: 2m.',
    parse: duration(1, 86_400_000),
  }),
};

/** @throws CommandError `usage` where a part of a request may take longer than the whole */
export const timeoutsOf = (given: OptionReader): LoadTimeouts => {
  const total = given(TIMEOUTS.timeout);
  const totalMs = total ?? TOTAL_MS;
  const phase = (option: Option<number | undefined>, standardMs: number): number => {
    const phaseMs = given(option);
    if (phaseMs !== undefined && phaseMs > totalMs) {
      throw new CommandError(
        'usage',
        `--${option.name} is longer than ${total === undefined ? 'the 10m of --timeout' : '--timeout'}, the limit of the whole request`,
        `Make it shorter, or write: --timeout ${phaseMs}ms`,
      );
    }
    return Math.min(phaseMs ?? standardMs, totalMs);
  };
  return {
    connectMs: phase(TIMEOUTS.timeoutConnect, CONNECT_MS),
    firstByteMs: phase(TIMEOUTS.timeoutFirstByte, FIRST_BYTE_MS),
    idleMs: phase(TIMEOUTS.timeoutIdle, IDLE_MS),
    totalMs,
  };
};

const TOTAL_MS = 600_000;
const CONNECT_MS = 10_000;
const FIRST_BYTE_MS = 300_000;
const IDLE_MS = 120_000;
