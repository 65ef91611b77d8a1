// Which part of a trace is taken: options of `plimsoll dataset make`.

import type { TracePart } from '../bench/dataset/trace/read-trace.ts';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import { needs, type OptionReader, optionsIn } from '../core/option/option.ts';
import { duration } from '../core/option/option-values.ts';
import { CommandError } from './command-error.ts';

const { value } = optionsIn('Replay of a trace');

const shares = (text: string): Parsed<TracePart['startAt']> => {
  const [, first = '', second = first] = /^(\d{1,3})%(?:\.\.(\d{1,3})%)?$/.exec(text) ?? [];
  const [from, to] = [Number(first) / 100, Number(second) / 100];
  return first !== '' && from <= to && to <= 1
    ? parsed({ from, to })
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is not a share of a conversation, or not a rising range of two`,
        'Write --start-at 50%, or --start-at 25%..75%.',
      );
};

/** In the order of --help. */
export const TRACE = {
  traceFrom: value({
    name: 'trace-from',
    rules: [needs({ trace: 'FILE' })],
    valueName: 'D',
    meaning: 'Take what began at this time of a trace, or later: 90s, 10m.',
    parse: duration(0, 366 * 86_400_000),
  }),
  traceUntil: value({
    name: 'trace-until',
    rules: [needs({ trace: 'FILE' })],
    valueName: 'D',
    meaning: 'Take what began before this time of a trace.',
    parse: duration(1, 366 * 86_400_000),
  }),
  startAt: value({
    name: 'start-at',
    rules: [needs({ trace: 'FILE' })],
    valueName: 'P%..P%',
    meaning: 'Begin each conversation of a trace at a request between these shares of it, drawn by --seed.',
    parse: shares,
  }),
};

/** @throws CommandError `usage` for a part that nothing can be in. */
export const tracePart = (given: OptionReader): TracePart => {
  const [fromMs, untilMs] = [given(TRACE.traceFrom), given(TRACE.traceUntil)];
  if (fromMs !== undefined && untilMs !== undefined && untilMs <= fromMs)
    throw new CommandError(
      'usage',
      '--trace-until is not after --trace-from',
      'Both count from the first request of the trace.',
    );
  return {
    fromMs,
    untilMs,
    startAt: given(TRACE.startAt),
  };
};
