// Plain values of config.toml, checked and converted from what the TOML parser returned; value-kinds.ts has the others.

import { type Parsed, parseBytes, parseDurationMs, parsed, wrong } from '../core/figure/parse-figure.ts';
import { showable } from '../core/text/single-line.ts';
import { withoutCredentials } from './config-problem.ts';

export type ValueParser<T> = (value: unknown) => Parsed<T>;

/** Text of a bounded length without control characters or spaces around it. */
export const textUpTo =
  (lengthMax: number): ValueParser<string> =>
  value => {
    if (typeof value !== 'string')
      return wrong(`${shown(value)} is not text`, 'Put it in quotes: "like this".');
    if (value.trim() === '') return wrong('the text is empty', 'Write something, or remove the line.');
    if (value !== value.trim()) return wrong('the text has spaces around it', 'Remove them.');
    if (showable(value) !== value)
      return wrong('the text has control characters or invisible characters in it', 'Remove them.');
    if (value.length > lengthMax) {
      return wrong(`the text has ${value.length} characters`, `At most ${lengthMax} are allowed.`);
    }
    return parsed(value);
  };

export const trueOrFalse: ValueParser<boolean> = value =>
  typeof value === 'boolean'
    ? parsed(value)
    : wrong(`${shown(value)} is neither true nor false`, 'Write true or false, without quotes.');

export const wholeNumber =
  ({ min, max }: Range): ValueParser<number> =>
  value =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? parsed(value)
      : wrong(`${shown(value)} is not a whole number from ${min} to ${max}`, 'Write digits without quotes.');

/** Greater than 0, up to and including `max`. */
export const shareUpTo =
  (max: number): ValueParser<number> =>
  value =>
    typeof value === 'number' && value > 0 && value <= max
      ? parsed(value)
      : wrong(`${shown(value)} is not a share above 0 and up to ${max}`, 'Write 0.02 for two per cent.');

export const durationMs =
  ({ min, max }: Range): ValueParser<number> =>
  value => {
    if (typeof value !== 'string') {
      return wrong(
        `${shown(value)} is not a duration`,
        'Write it with its unit, in quotes: "500ms", "3s", "2m", "1h".',
      );
    }
    const duration = parseDurationMs(value);
    if (duration.kind === 'wrong' || (duration.value >= min && duration.value <= max)) return duration;
    return wrong(`${shown(value)} is out of range`, `It may be from ${durationRangeText({ min, max })}.`);
  };

export const sizeBytes =
  ({ min, max }: Range): ValueParser<number> =>
  value => {
    if (typeof value !== 'string') {
      return wrong(`${shown(value)} is not a size`, 'Write it with its unit, in quotes: "512MB", "1.5GB".');
    }
    const size = parseBytes(value);
    if (size.kind === 'wrong' || (size.value >= min && size.value <= max)) return size;
    return wrong(`${shown(value)} is out of range`, `It may be from ${sizeRangeText({ min, max })}.`);
  };

export const durationRangeText = ({ min, max }: Range): string =>
  `${durationText(min)} to ${durationText(max)}`;

export const sizeRangeText = ({ min, max }: Range): string => `${min / 1e6}MB to ${max / 1e9}GB`;

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The written value, shortened and without secrets. */
export const shown = (value: unknown): string => {
  const text =
    value instanceof Date
      ? value.toISOString()
      : typeof value === 'number'
        ? String(value)
        : (JSON.stringify(value) ?? String(value));
  const safe = withoutCredentials(text);
  return safe.length > 60 ? `${safe.slice(0, 57)}…` : safe;
};

const durationText = (ms: number): string => {
  if (ms >= 86_400_000) return `${ms / 86_400_000}d`;
  if (ms >= 3_600_000) return `${ms / 3_600_000}h`;
  if (ms >= 60_000) return `${ms / 60_000}m`;
  return ms >= 1_000 ? `${ms / 1_000}s` : `${ms}ms`;
};
