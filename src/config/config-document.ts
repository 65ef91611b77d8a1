// config.toml as data, what `plimsoll config path|show|check --json` prints: where it is, what is in effect, what is wrong with it.

import * as v from 'valibot';
import { count, type Infer } from '../core/schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { Setting } from './parse-config.ts';

const path = v.string();

const problems = v.array(
  v.object({
    file: v.string(),
    line: v.exactOptional(v.pipe(count, v.description('From 1; missing if the problem is the file itself.'))),
    column: v.exactOptional(v.pipe(count, v.description('From 1, in UTF-16 code units.'))),
    lineText: v.exactOptional(v.pipe(v.string(), v.description('The line, without credentials.'))),
    problem: v.string(),
    advice: v.string(),
  }),
);

export const configPathSchema = v.object({ schema: v.literal('plimsoll.config-path/1'), path });

export type ConfigPathDocument = Infer<typeof configPathSchema>;

export const configCheckSchema = v.object({
  schema: v.literal('plimsoll.config-check/1'),
  path,
  isMissing: v.pipe(v.boolean(), v.description('Without a file every key has its default.')),
  problems,
});

export type ConfigCheckDocument = Infer<typeof configCheckSchema>;

export const configSchema = v.object({
  schema: v.literal('plimsoll.config/1'),
  path,
  source: v.pipe(
    v.picklist(['file', 'last-good', 'defaults']),
    v.description(
      'While the file has an error: its last good content, or the defaults if there is none, as without a file.',
    ),
  ),
  settings: v.array(
    v.object({
      section: v.pipe(v.string(), v.description('Empty for the keys of this machine.')),
      key: v.string(),
      value: v.pipe(
        v.nullable(v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
        v.description('null: it is not set and has no default.'),
      ),
      line: v.exactOptional(v.pipe(count, v.description('Of its source; missing for a default.'))),
    }),
  ),
  problems,
});

export type ShownConfig = Infer<typeof configSchema>;

export const problemData = ({
  file,
  position,
  problem,
  advice,
}: ConfigProblem): ConfigCheckDocument['problems'][number] => ({
  file,
  ...(position === undefined ? {} : position),
  problem,
  advice,
});

/** What TOML and JSON write in the same way is read again as JSON. */
export const settingData = ({
  section,
  key,
  valueText,
  source,
}: Setting): ShownConfig['settings'][number] => ({
  section,
  key,
  value: valueText === '' ? null : JSON.parse(valueText),
  ...(source.kind === 'file' ? { line: source.line } : {}),
});
