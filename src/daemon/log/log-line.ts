// One line of the log: key=value pairs (logfmt), or a JSON object. Names and reasons come from other machines and tools, so
// any character that could break a line or control a terminal is escaped.

import type { LogFormat, LogLevel } from '../../config/log-values.ts';
import { showableJson } from '../../core/text/single-line.ts';

type LogValue = string | number | boolean;
/** In the order in which they are written; undefined is left out. */
export type LogFields = Readonly<Record<string, LogValue | undefined>>;

interface LogRecord {
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
    ? `${showableJson(JSON.stringify(Object.fromEntries(pairs)))}\n`
    : `${pairs.map(([name, value]) => `${name}=${written(value)}`).join(' ')}\n`;
};

const cut = (text: string): string =>
  text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX - 1)}…`;

const written = (value: LogValue): string => {
  const text = String(value);
  return BARE.test(text) ? text : showableJson(JSON.stringify(text));
};

/** What needs no quotes: no space, quote, equals sign or backslash. */
const BARE = /^[\w.:/@%+,[\]~#-]+$/;
export const VALUE_LENGTH_MAX = 300;
