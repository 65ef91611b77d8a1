// The work that the API and MCP may start: these commands. A request has the options of its command by their names, with the value that
// a file of runs has; one that belongs to a terminal, holds a secret or starts a program is not among them.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import type { JsonObject } from '../core/json.ts';
import type { Option } from '../core/option/option.ts';
import { documentEntries, documentOption, documentTexts, textWords } from '../core/option/option-document.ts';
import { pushAll } from '../core/push-all.ts';
import type { JobKind, JobProcess } from '../daemon/jobs/job-runner.ts';
import { isRunFile } from './bench/run-file.ts';
import type { Command } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseCommandLine } from './command-line.ts';

/** A kind of job, and the options that a request may have. */
export interface CommandJob extends JobKind {
  readonly summary: string;
  readonly options: readonly Option<unknown>[];
  /** Fields that name what is loaded or read. */
  readonly targets: readonly string[];
}

export const loadJobKinds = async (): Promise<readonly CommandJob[]> =>
  await Promise.all(JOBS.map(async ({ load, ...job }) => ({ ...job, ...jobOf(await load()) })));

interface JobRow extends Pick<CommandJob, 'path' | 'targets'> {
  readonly load: () => Promise<Command>;
}

const JOBS: readonly JobRow[] = [
  {
    load: async () => (await import('./commands/bench.ts')).benchCommand,
    path: '/api/runs',
    targets: ['url'],
  },
  {
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
    path: '/api/sweeps',
    targets: ['url'],
  },
  {
    load: async () => (await import('./commands/line.ts')).lineCommand,
    path: '/api/sweeps',
    targets: ['url'],
  },
  {
    load: async () => (await import('./commands/compare.ts')).compareCommand,
    path: '/api/comparisons',
    targets: ['a', 'b'],
  },
  {
    load: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
    path: undefined,
    targets: [],
  },
  {
    load: async () => (await import('./commands/import.ts')).importCommand,
    path: undefined,
    targets: ['file'],
  },
];

const jobOf = (command: Command): Omit<CommandJob, 'path' | 'targets'> => {
  const options = command.options.filter(option => isRequestable(option));
  return {
    command: command.name,
    summary: command.summary,
    options,
    body: v.looseObject({
      command: v.pipe(v.literal(command.name), v.description(command.summary)),
      ...Object.fromEntries(
        command.arguments.map(({ name, meaning, isRequired, unless, isRepeatable }) => {
          const text = isRepeatable === true ? v.union([v.string(), v.array(v.string())]) : v.string();
          const described = v.pipe(text, v.description(meaning));
          const isNeeded = isRequired || unless !== undefined;
          return [name.toLowerCase(), isNeeded ? described : v.exactOptional(described)];
        }),
      ),
      ...documentEntries(options),
    }),
    words: (request, process) => wordsOf(command, { options, request, process }),
  };
};

const isRequestable = ({ isSecret, isOfOneCall, startsProgram }: Option<unknown>): boolean =>
  isSecret !== true && isOfOneCall !== true && startsProgram !== true;

/** Checked as the command checks them. */
const wordsOf = (
  command: Command,
  {
    options,
    request,
    process,
  }: {
    readonly options: readonly Option<unknown>[];
    readonly request: JsonObject;
    readonly process: JobProcess;
  },
): Parsed<readonly string[]> => {
  const names = command.arguments.map(({ name }) => name.toLowerCase());
  const given = names
    .flatMap(name => request[name] ?? [])
    .flat()
    .map(String);
  const odd = given.find(text => text.startsWith('-') || isRunFile(text));
  if (odd !== undefined && names.includes('url'))
    return wrong(`${JSON.stringify(odd.slice(0, 60))} is not a URL`, 'Write: "url": "http://127.0.0.1:8000"');
  // A socket of this machine is a file of its user, too.
  const read = names.includes('file') ? given[0] : given.find(text => /^unix:/i.test(text));
  if (read !== undefined && !process.isLocal) return refusedFile(read);
  const words: string[] = [];
  for (const [key, value] of Object.entries(request)) {
    if (key === 'command' || names.includes(key)) continue;
    const option = documentOption(key, options, command.name);
    if (option.kind === 'wrong') return option;
    const texts = documentTexts(option.value, value);
    if (texts.kind === 'wrong') return texts;
    const file = texts.value.map(text => option.value.reads?.(text)).find(each => each !== undefined);
    if (file !== undefined && !process.isLocal) return refusedFile(file);
    pushAll(words, textWords(option.value, texts.value));
  }
  const own = ownWords(command, process);
  try {
    parseCommandLine([command.name, ...given, ...words, ...own], [command], { isStored: true });
  } catch (error) {
    if (error instanceof CommandError) return wrong(error.problem.problem, error.problem.advice);
    throw error;
  }
  return parsed([...given, ...words, ...own]);
};

const refusedFile = (text: string): Parsed<never> =>
  wrong(
    `${JSON.stringify(text.slice(0, 60))} is a file or socket of this machine`,
    'Send the request over the socket of the home: curl --unix-socket ~/.plimsoll/daemon.sock',
  );

/** What this one call has. */
const ownWords = ({ options }: Command, { jobId, home }: JobProcess): readonly string[] => {
  const values: Readonly<Record<string, string>> = { id: jobId, home };
  return options.flatMap(({ name, valueName }) => {
    if (name === 'json' || (name === 'quiet' && valueName === undefined)) return [`--${name}`];
    const value = values[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  });
};
