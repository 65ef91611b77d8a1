// [log] of config.toml: its keys, and their values, which --log-level and --log-format take too.

import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import type { ConfigSection } from './config-section.ts';

/** The most talkative first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['logfmt', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export const LOG_SECTION: ConfigSection = {
  name: 'log',
  isList: false,
  meaning: 'The log of the daemon, on standard error; see docs/service.md. Takes effect at once.',
  keys: [
    {
      key: 'level',
      default: undefined,
      example: 'info',
      meaning: '"debug", "info", "warn" or "error". Without it: "info", and "warn" in a terminal.',
    },
    { key: 'format', default: 'logfmt', meaning: '"logfmt": key=value pairs; "json": one object a line.' },
  ],
};

export const logLevel = (value: unknown): Parsed<LogLevel> => oneOf(LOG_LEVELS, value);
export const logFormat = (value: unknown): Parsed<LogFormat> => oneOf(LOG_FORMATS, value);

const oneOf = <T extends string>(choices: readonly T[], value: unknown): Parsed<T> => {
  const found = choices.find(choice => choice === value);
  if (found !== undefined) return parsed<T>(found);
  const listed = choices.join(', ');
  return wrong(`${JSON.stringify(value)} is not one of ${listed}`, `Write one of these: ${listed}.`);
};
