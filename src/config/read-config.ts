// config.toml on disk. An invalid file never stops the daemon: the last valid text is stored next to it and applies
// until the file is fixed; without one the defaults apply.

import { dirname } from 'node:path';
import { errorCode, shortReason } from '../core/problem.ts';
import { createFileAtomic, writeFileAtomic } from '../process/atomic-file.ts';
import { InputFileError, openInputFile } from '../process/input-file.ts';
import type { Config } from './config.ts';
import type { ConfigProblem } from './config-problem.ts';
import { configTemplate } from './config-template.ts';
import { homeFiles } from './home.ts';
import { parseConfig, type Setting } from './parse-config.ts';

export type ConfigResult =
  | {
      readonly kind: 'ok';
      readonly config: Config;
      readonly settings: readonly Setting[];
      readonly text: string;
      /** There is no file: all defaults. */
      readonly isMissing: boolean;
    }
  | {
      readonly kind: 'broken';
      readonly problems: readonly ConfigProblem[];
      readonly lastGood: { readonly config: Config; readonly settings: readonly Setting[] } | undefined;
    };

/** Reads and checks; writes nothing and never throws. A missing file means defaults. */
export const readConfig = async (path: string): Promise<ConfigResult> => {
  const file = await readText(path);
  if (file.kind === 'unreadable')
    return { kind: 'broken', problems: [file.problem], lastGood: await lastGoodOf(path) };
  const text = file.kind === 'missing' ? '' : file.text;
  const parsed = parseConfig(text, path);
  if (parsed.kind === 'broken') return { ...parsed, lastGood: await lastGoodOf(path) };
  return { ...parsed, text, isMissing: file.kind === 'missing' };
};

/**
 * What a daemon does at its start: writes the commented file if there is none, reads it, and stores it as the last good
 * one if it is valid. @throws the file system's error when the folder cannot be written.
 */
export const loadConfig = async (path: string): Promise<ConfigResult> => {
  // An existing file needs no space on the disk, which may be full.
  if ((await readText(path)).kind === 'missing') await createFileAtomic(path, configTemplate());
  const result = await readConfig(path);
  if (result.kind === 'ok') await keepLastGood(path, result.text);
  return result;
};

/** The values in effect: the file's, else the last good ones, else the defaults. */
export const effectiveConfig = (result: ConfigResult): Config =>
  result.kind === 'ok' ? result.config : (result.lastGood?.config ?? defaultConfig());

export const defaultConfig = (): Config => {
  const parsed = parseConfig('', 'defaults');
  if (parsed.kind === 'ok') return parsed.config;
  throw new TypeError('the default config is not valid');
};

/** Stores a valid text. */
export const keepLastGood = async (path: string, text: string): Promise<void> => {
  const lastGood = lastGoodPath(path);
  const stored = await readText(lastGood);
  if (stored.kind === 'text' && stored.text === text) return;
  await writeFileAtomic(lastGood, text);
};

const lastGoodOf = async (
  path: string,
): Promise<{ config: Config; settings: readonly Setting[] } | undefined> => {
  const file = await readText(lastGoodPath(path));
  if (file.kind !== 'text') return undefined;
  const parsed = parseConfig(file.text, lastGoodPath(path));
  return parsed.kind === 'ok' ? { config: parsed.config, settings: parsed.settings } : undefined;
};

const lastGoodPath = (path: string): string => homeFiles(dirname(path)).lastGoodConfig;

type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: ConfigProblem };

const readText = async (path: string): Promise<FileText> => {
  try {
    await using file = await openInputFile(path, 'homeFile');
    const info = await file.stat();
    if (info.size > CONFIG_BYTES_MAX) {
      return unreadable(
        path,
        `it has ${info.size} bytes, more than ${CONFIG_BYTES_MAX} bytes`,
        `A config larger than ${CONFIG_BYTES_MAX} is not read.`,
      );
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
    return { kind: 'text', text };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { kind: 'missing' };
    if (error instanceof InputFileError)
      return unreadable(
        path,
        error.message,
        'Settings are stored in a file. Move away what is in its place; the next start writes a new one.',
      );
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return unreadable(path, 'it is not UTF-8 text', 'Save it as UTF-8.');
    }
    return unreadable(
      path,
      `it cannot be read (${shortReason(error)})`,
      "Make it readable for the daemon's user.",
    );
  }
};

const unreadable = (file: string, problem: string, advice: string): FileText => ({
  kind: 'unreadable',
  problem: { file, position: undefined, problem, advice },
});

/** The parser makes some 800 bytes of each byte of nested tables. */
const CONFIG_BYTES_MAX = 262_144;
