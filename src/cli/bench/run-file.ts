// `plimsoll bench FILE.toml`: runs of a file. Its keys are the names of the options; `url`, [[runs]] and [matrix] are its own. Each run
// becomes a command line, so that a file can do what the command line can, and no more.

import { basename, extname, resolve } from 'node:path';
import { parseToml, plainValue } from '../../config/toml-document.ts';
import type { Parsed } from '../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { areExclusive, hasValue, type Option } from '../../core/option/option.ts';
import { documentOption, documentTexts, textWords } from '../../core/option/option-document.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import { firstLine } from '../../core/text/single-line.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';

export interface FileRun {
  /** What distinguishes it from the other runs of the file: "concurrency=8", "run 2"; '' if there is only one. */
  readonly label: string;
  readonly urls: readonly string[];
  /** Options, as words of a command line. */
  readonly words: readonly string[];
}

export interface RunFile {
  readonly name: string;
  /** As it was read, with its comments. */
  readonly text: string;
  /** It sets an option whose value is stored nowhere, or a URL with credentials. */
  readonly hasSecrets: boolean;
  readonly runs: readonly FileRun[];
}

export const isRunFile = (argument: string): boolean =>
  READERS.has(extname(argument).toLowerCase()) && !argument.includes('://');

/**
 * @param given names of options that the command line or the environment sets: they replace those of the file, and those that
 * they exclude
 * @throws CommandError `benchInput`
 */
export const readRunFile = async (
  argument: string,
  {
    cwd,
    options,
    given,
  }: {
    readonly cwd: string;
    readonly options: readonly Option<unknown>[];
    readonly given: ReadonlySet<string>;
  },
): Promise<RunFile> => {
  const { text, document } = await optionsDocument(argument, cwd);
  const { runs, matrix, ...common } = document;
  if (runs !== undefined && !(Array.isArray(runs) && runs.every(isJsonObject) && runs.length > 0))
    throw refused(
      argument,
      'runs is not a list of tables',
      'Write [[runs]] for each run, with the options that differ.',
    );
  const listed: readonly JsonObject[] = runs ?? [{}];
  const expanded = listed.flatMap(run => {
    const { matrix: own = matrix, ...options } = run;
    return combinations(own, argument).map(values => ({ ...common, ...options, ...values }));
  });
  if (expanded.length > RUNS_MAX)
    throw refused(argument, `it has ${expanded.length} runs`, `Use at most ${RUNS_MAX} in one file.`);
  const differing = keysThatDiffer(expanded);
  const labels = expanded.map(values =>
    differing.map(key => `${key}=${String(values[key] ?? 'default')}`).join(' '),
  );
  return {
    name: basename(argument),
    text,
    hasSecrets: expanded.some(values =>
      Object.entries(values).some(([key, value]) =>
        key === 'url'
          ? urlsOf(value, argument).some(hasCredentials)
          : options.some(({ name, isSecret }) => isSecret === true && name === key.replaceAll('_', '-')),
      ),
    ),
    runs: expanded.map((values, at) => ({
      label: distinct(labels, at),
      urls: urlsOf(values['url'], argument),
      words: Object.entries(values).flatMap(([key, value]) =>
        key === 'url' ? [] : fileOptionWords(key.replaceAll('_', '-'), value, { options, given, argument }),
      ),
    })),
  };
};

/** A file of options as it is, and what it contains. @throws CommandError `benchInput` */
export const optionsDocument = async (
  argument: string,
  cwd: string,
): Promise<{ readonly text: string; readonly document: JsonObject }> => {
  const text = await contentOf(resolve(cwd, argument), argument);
  const document = (await READERS.get(extname(argument).toLowerCase())?.(text, argument)) ?? {};
  return { text, document };
};

/** Every combination of the lists of [matrix]; one without values if there is none. */
const combinations = (matrix: unknown, argument: string): readonly JsonObject[] => {
  if (matrix === undefined) return [{}];
  if (!isJsonObject(matrix))
    throw refused(
      argument,
      'matrix is not a table',
      'Write [matrix] with a list of values for each option: concurrency = [1, 8]',
    );
  let rows: readonly JsonObject[] = [{}];
  for (const [key, values] of Object.entries(matrix)) {
    if (!Array.isArray(values) || values.length === 0)
      throw refused(argument, `matrix.${key} is not a list`, `Write its values in brackets: ${key} = [1, 8]`);
    rows = rows.flatMap(row => values.slice(0, RUNS_MAX + 1).map(value => ({ ...row, [key]: value })));
    if (rows.length > RUNS_MAX)
      throw refused(
        argument,
        `its matrix has more than ${RUNS_MAX} combinations`,
        'Use fewer values, or several files.',
      );
  }
  return rows;
};

export const runNumber = (at: number): string => `run ${at + 1}`;

/** Runs may be equal. */
const distinct = (labels: readonly string[], at: number): string => {
  const label = labels[at] ?? '';
  const isAlone = labels.every((other, index) => index === at || other !== label);
  return isAlone ? label : [label, runNumber(at)].join(' ').trim();
};

const keysThatDiffer = (runs: readonly JsonObject[]): readonly string[] => {
  const keys = [...new Set(runs.flatMap(run => Object.keys(run)))];
  return keys.filter(key => new Set(runs.map(run => JSON.stringify(run[key]))).size > 1);
};

const urlsOf = (url: unknown, argument: string): readonly string[] => {
  const urls: readonly unknown[] = Array.isArray(url) ? url : url === undefined ? [] : [url];
  return urls.map(each => {
    // It would be read as an option, or as this file again.
    if (typeof each === 'string' && (each.startsWith('-') || isRunFile(each)))
      throw refused(
        argument,
        `${JSON.stringify(each.slice(0, 60))} is not a URL`,
        'Write: url = "http://127.0.0.1:8000"',
      );
    if (typeof each === 'string') return each;
    throw refused(argument, 'url is not text', 'Write: url = "http://127.0.0.1:8000"');
  });
};

export const hasCredentials = (url: string): boolean => {
  const parts = URL.canParse(url) ? new URL(url) : undefined;
  return parts !== undefined && `${parts.username}${parts.password}${parts.search}` !== '';
};

/**
 * An option of a file as words of a command line; none if the line has it, or one that excludes it.
 * @param argument the file, as it is called in errors
 * @throws CommandError `benchInput`
 */
export const fileOptionWords = (
  name: string,
  value: unknown,
  {
    options,
    given,
    argument,
  }: {
    readonly options: readonly Option<unknown>[];
    readonly given: ReadonlySet<string>;
    readonly argument: string;
  },
): readonly string[] => {
  const option = accepted(documentOption(name, options, 'bench'), argument);
  if (NOT_OF_A_FILE.has(name))
    throw refused(argument, `${name} runs nothing`, `Leave it out of the file: it is for the command line.`);
  if (given.has(name) || options.some(other => given.has(other.name) && areExclusive(option, other)))
    return [];
  const texts = accepted(documentTexts(option, value), argument);
  const isReadable = (one: unknown): boolean => {
    const text = documentTexts(option, one);
    return text.kind === 'ok' && option.read(text.value).kind === 'ok';
  };
  if (Array.isArray(value) && value.length > 1 && !isReadable(value) && value.every(isReadable))
    throw refused(
      argument,
      `${name} has one value in a run, and this is a list`,
      `For a run with each of them, write it under [matrix]: ${name} = ${JSON.stringify(value)}`,
    );
  return textWords(option, texts);
};

const accepted = <T>(read: Parsed<T>, argument: string): T => {
  if (read.kind === 'wrong') throw refused(argument, read.problem, read.advice);
  return read.value;
};

const fromToml = (text: string, argument: string): JsonObject => {
  const document = parseToml(text);
  if (document.kind === 'broken') {
    const line = text.slice(0, document.offset).split('\n').length;
    throw refused(
      argument,
      `line ${line}: ${firstLine(document.problem)}`,
      'Correct the line; docs/bench.md has an example.',
    );
  }
  return Object.fromEntries([...document.entries].map(([key, node]) => [key, plainValue(node)]));
};

const fromYaml = async (text: string, argument: string): Promise<JsonObject> => {
  const { parseYaml } = await loadYaml();
  try {
    const document = parseYaml(text);
    if (isJsonObject(document)) return document;
  } catch (error) {
    throw refused(
      argument,
      firstLine(errorMessage(error)),
      'Correct the line; docs/bench.md has an example.',
    );
  }
  throw refused(
    argument,
    'it is not a table of options',
    'Write NAME: VALUE on each line; docs/bench.md has an example.',
  );
};

const fromJson = (text: string, argument: string): JsonObject => {
  const document = parseAnyJson(text);
  if (isJsonObject(document)) return document;
  throw refused(argument, 'it is not a JSON object', 'Write {"url": "…", "requests": 100}.');
};

type Reader = (text: string, argument: string) => JsonObject | Promise<JsonObject>;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['.toml', fromToml],
  ['.yaml', fromYaml],
  ['.yml', fromYaml],
  ['.json', fromJson],
]);

/**
 * The file of a command, as --save writes it: in TOML, or as the name ends. Secret options are left out.
 * @param args the words after the command
 * @param shown the URLs without what is secret in them; undefined: as in the words
 */
export const runFileText = async (
  name: string,
  args: readonly string[],
  {
    options,
    urls: shown,
  }: { readonly options: readonly Option<unknown>[]; readonly urls?: readonly string[] | undefined },
): Promise<{ readonly text: string; readonly secrets: readonly string[] }> => {
  const document: Record<string, string | boolean | readonly string[]> = {};
  const secrets: string[] = [];
  const urls: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, key, joined] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = options.find(known => known.name === key);
    if (option === undefined) {
      if (word !== '--') urls.push(word);
      continue;
    }
    const takesNext = joined === undefined && hasValue(option, args[at + 1]);
    const text = joined ?? (takesNext ? (args[at + 1] ?? '') : undefined);
    if (takesNext) at += 1;
    if (option.name === 'save') continue;
    if (option.isSecret === true) secrets.push(`--${option.name}`);
    else if (option.isRepeatable) document[option.name] = [...listOf(document[option.name]), text ?? ''];
    else document[option.name] = text ?? option.valueAlone ?? true;
  }
  const written = shown ?? urls;
  const [url, ...others] = written;
  const whole = { ...(url === undefined ? {} : { url: others.length === 0 ? url : written }), ...document };
  const write = WRITERS.get(extname(name).toLowerCase()) ?? tomlText;
  return { text: await write(whole), secrets };
};

const listOf = (value: string | boolean | readonly string[] | undefined): readonly string[] =>
  typeof value === 'object' ? value : [];

/** JSON strings and lists of them are TOML too. */
const tomlText = (document: JsonObject): string =>
  Object.entries(document)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('');

const yamlText = async (document: JsonObject): Promise<string> => (await loadYaml()).yamlText(document);

const loadYaml = () => import('../yaml-document.ts');

type Writer = (document: JsonObject) => string | Promise<string>;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['.json', document => `${JSON.stringify(document, null, 2)}\n`],
  ['.yaml', yamlText],
  ['.yml', yamlText],
]);

const contentOf = async (path: string, shown: string): Promise<string> => {
  try {
    return await readInputText(path, 'optionsFile');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new CommandError(
      'benchInput',
      `${shown}: ${fileReason(error)}`,
      'Give a URL, or a file of options.',
      { cause: error },
    );
  }
};

const refused = (argument: string, problem: string, advice: string): CommandError =>
  new CommandError('benchInput', `${argument}: ${problem}`, advice);

const RUNS_MAX = 100;
/** With one of them, a command prints or writes another one. */
const NOT_OF_A_FILE: ReadonlySet<string> = new Set(['like', 'save']);
