// One line of the log: key=value pairs (logfmt), or a JSON object. Names and reasons come from other machines and tools, so
// whatever could break a line or control a terminal is escaped.

import type { LogFormat, LogLevel } from '../../config/log-values.ts';

export type LogValue = string | number | boolean;
/** In the order in which they are written; undefined is left out. */
export type LogFields = Readonly<Record<string, LogValue | undefined>>;

export interface LogRecord {
  readonly atWallMs: number;
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** With its line break. */
export const logLine = ({ atWallMs, level, event, fields }: LogRecord, format: LogFormat): string => {
  const pairs: [string, LogValue][] = [
    ['time', new Date(atWallMs).toISOString()],
    ['level', level],
    ['event', event],
  ];
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) pairs.push([name, typeof value === 'string' ? cut(value) : value]);
  return format === 'json'
    ? `${escaped(JSON.stringify(Object.fromEntries(pairs)))}\n`
    : `${pairs.map(([name, value]) => `${name}=${written(value)}`).join(' ')}\n`;
};

const cut = (text: string): string =>
  text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX - 1)}…`;

const written = (value: LogValue): string => {
  const text = String(value);
  return BARE.test(text) ? text : escaped(JSON.stringify(text));
};

/** JSON itself escapes only what is below a space: the other control characters, and what turns the direction of writing. */
const escaped = (json: string): string =>
  json.replace(UNSHOWABLE, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What needs no quotes: no space, quote, equals sign or backslash. */
const BARE = /^[\w.:/@%+,[\]~#-]+$/;
const UNSHOWABLE =
  /[\p{Cc}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}\u{2066}-\u{206f}\u{feff}]/gu;
export const VALUE_LENGTH_MAX = 300;
