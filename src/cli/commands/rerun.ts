// `plimsoll rerun DIR`: the run of a directory once more. A directory may come from anybody: before a person has agreed, no file that it
// names is read and nothing is sent. Then requests are sent and the files are read, what is different today is shown, and it is run.

import { basename, dirname, resolve } from 'node:path';
import { parseTargetUrl } from '../../bench/target/target-url.ts';
import { resolveHome } from '../../config/home.ts';
import { flag, nonEmpty, type Option, repeated } from '../../core/option/option.ts';
import { type RerunDifferences, rerunDifferences } from '../../core/run/rerun-differences.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import { unknown } from '../../core/unknown.ts';
import { BENCH, BENCH_OPTIONS } from '../bench/bench-options.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import { replayed, traceReplayRequest } from '../bench/replay-options.ts';
import { requestHeaders } from '../bench/request-headers.ts';
import { scenarioCall } from '../bench/scenario-option.ts';
import { givenStages } from '../bench/shape-options.ts';
import { type Command, homeOption, type Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { factsToday } from '../rerun/facts-today.ts';
import { readStoredCall, type StoredCall } from '../rerun/stored-call.ts';
import { type StoredRead, storedReads } from '../rerun/stored-reads.ts';
import { directoryOf } from '../runs/found-runs.ts';
import type { InputLine } from '../standard-input.ts';
import { KEY_VARIABLE } from '../sweep/kept-command.ts';
import { asBench, requestedLoads } from '../sweep/sweep-options.ts';

const yesOption = flag('yes', 'Do not ask for confirmation, except for reads outside DIR.');
const readOption = repeated({
  name: 'read',
  valueName: 'PATH',
  meaning: 'A file, a folder or an address outside of DIR that may be read, as it is listed.',
  parse: nonEmpty,
});
const SECRET_OPTIONS: readonly Option<unknown>[] = [BENCH.header, BENCH.headerFile, BENCH.apiKeyFile];

export const rerunCommand: Command = {
  name: 'rerun',
  summary: 'Repeat a run from its directory',
  description:
    'Prints the command of a run or a sweep and the files that it would read, asks, prints what is different today, asks again,\nand runs it. Nothing is sent and no such file is read without your consent: a directory may come from anybody. A key is\nsent only if the target is repeated here. No stored command starts a server.',
  arguments: [
    { name: 'DIR', meaning: 'The id or the directory of a run or a sweep.', isRequired: true },
    {
      name: 'URL',
      meaning:
        'Its targets again, with their credentials: keys are sent only to targets that are repeated here.',
      isRequired: false,
      isRepeatable: true,
      target: 'only',
    },
  ],
  options: [
    yesOption,
    readOption,
    BENCH.out,
    BENCH.noteGit,
    BENCH.header,
    BENCH.headerFile,
    BENCH.apiKeyFile,
    BENCH.json,
    BENCH.quiet,
    homeOption,
  ],
  prints: ['report', 'sweep', 'line'],
  examples: [
    {
      line: 'plimsoll rerun ~/.plimsoll/runs/20261123-120000-ab12',
      meaning: 'shows what it would run, and asks',
    },
    {
      line: 'plimsoll rerun DIR https://llm.example.net --api-key-file key --yes',
      meaning: 'with a key, in a script',
    },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const directory = await directoryOf(invocation.arguments[0] ?? '.', { home, cwd: state.cwd });
    const stored = await readStoredCall(directory, state);
    const urls = repeatedTargets(stored, invocation);
    const calling: ProcessState = {
      ...state,
      cwd: stored.cwd,
      env: urls === undefined ? { ...state.env, [KEY_VARIABLE]: undefined } : state.env,
    };
    const own = ownOptions(invocation, state);
    const args = [stored.command.name, ...(urls ?? urlsOf(stored)), ...stored.args, ...own];
    const line = parseCommandLine(args, [stored.command], { isStored: true });
    if (line.kind !== 'run') throw new Error('a stored command line asks for help');
    const reads = await storedReads(directory, stored);
    // Standard output is for the report where a program reads it.
    const isJson = invocation.option(BENCH.json);
    const show = isJson ? state.stderr : state.stdout;
    await show.write(
      `${[...reported(stored, urls !== undefined, state), ...readLines(reads, directory)].join('\n')}\n\n`,
    );
    const isAgreed = await agreed(reads, {
      stored,
      invocation,
      state,
      compare: async () => {
        const { command } = stored;
        const ofRun = { ...calling, args };
        const { invocation: called } = await scenarioCall(line.invocation, ofRun, command);
        const differences = await differencesOf(stored, called, { invocation, state: calling });
        await show.write(`${differences.join('\n')}\n\n`);
      },
    });
    if (isAgreed) return await stored.command.run(line.invocation, { ...calling, args });
    await show.write('Nothing was run.\n');
    return EXIT_CODES.ok.code;
  },
};

interface Agreement {
  readonly stored: StoredCall;
  readonly invocation: Invocation;
  readonly state: ProcessState;
  /** Sends requests to the server, reads the files, and shows what is different today. */
  readonly compare: () => Promise<void>;
}

const agreed = async (
  reads: readonly StoredRead[],
  { stored, invocation, state, compare }: Agreement,
): Promise<boolean> => {
  await using questions = new Questions(state);
  if (!(await mayRead(reads, { stored, invocation, state }, questions))) return false;
  await compare();
  return await mayRun(stored, invocation, questions);
};

/** @throws CommandError `usage` where another target is given, or a key without one. */
const repeatedTargets = (stored: StoredCall, invocation: Invocation): readonly string[] | undefined => {
  const given = invocation.arguments.slice(1);
  const named = urlsOf(stored).map(text => showable(text));
  if (given.length === 0) {
    const secret = SECRET_OPTIONS.find(option => !isEmpty(invocation.option(option)));
    if (secret === undefined) return undefined;
    throw usage(
      `--${secret.name} needs the target repeated, because ${named.join(', ')} comes only from a file`,
      `Write it after the directory if keys may be sent to it: ${shellCommand`plimsoll rerun DIR ${urlsOf(stored)}`}`,
    );
  }
  const shown = given.map(url => {
    const target = parseTargetUrl(url);
    if (target.kind === 'wrong') throw usage(target.problem, target.advice);
    return target.value.shown;
  });
  if (shown.join(' ') === urlsOf(stored).join(' ')) return given;
  throw usage(
    `the run loaded ${named.join(', ')}, not ${shown.join(', ')}`,
    'Repeat its target, or load another one with plimsoll bench.',
  );
};

const urlsOf = ({ url, others }: StoredCall): readonly string[] => [url, ...others];

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0);

/** What was given here; paths are those of this folder, not of the one where the run began. */
const ownOptions = (invocation: Invocation, state: ProcessState): readonly string[] => {
  const path = (option: Option<string | undefined>): readonly string[] => {
    const given = invocation.option(option);
    return given === undefined ? [] : [`--${option.name}=${resolve(state.cwd, given)}`];
  };
  return [
    ...path(BENCH.out),
    ...path(BENCH.headerFile),
    ...path(BENCH.apiKeyFile),
    ...path(BENCH.noteGit),
    ...invocation.option(BENCH.header).map(({ name, value }) => `--header=${name}: ${value}`),
    ...(invocation.option(BENCH.json) ? ['--json'] : []),
    ...(invocation.option(BENCH.quiet) ? ['--quiet'] : []),
    `--home=${resolveHome({ ...state, option: invocation.option(homeOption) })}`,
  ];
};

const reported = (stored: StoredCall, isRepeated: boolean, state: ProcessState): readonly string[] => {
  const command = shellCommand`plimsoll ${stored.command.name} ${[...urlsOf(stored), ...stored.args]}`;
  const hasKey = (state.env[KEY_VARIABLE] ?? '') !== '';
  return [
    `It would run, in ${showable(stored.cwd)}:`,
    '',
    `  ${command}`,
    '',
    ...(stored.secrets.length === 0
      ? []
      : [`The run was given ${stored.secrets.join(' and ')}, which is stored nowhere.`]),
    ...(!isRepeated && (hasKey || stored.secrets.length > 0)
      ? [
          `No key is sent, because the target is not repeated here: ${shellCommand`plimsoll rerun DIR ${urlsOf(stored)}`}`,
        ]
      : []),
  ];
};

const differencesOf = async (
  stored: StoredCall,
  called: Invocation,
  { invocation, state }: { readonly invocation: Invocation; readonly state: ProcessState },
): Promise<readonly string[]> => {
  const requested = stored.command.name === 'sweep' ? asBench(called, requestedLoads(called)) : called;
  const stages = stored.command.name === 'sweep' ? undefined : await givenStages(requested, state.cwd);
  const options = parseBenchOptions(requested, state.cwd, stages);
  const { headers } =
    invocation.arguments[1] === undefined ? { headers: [] } : await requestHeaders(called, state, options);
  const trace = stored.command.name === 'bench' ? traceReplayRequest(called, BENCH_OPTIONS) : undefined;
  const request = await replayed({ ...options, headers }, trace, {
    cwd: state.cwd,
    durationMs: called.option(BENCH.duration),
    sessionsMax: called.option(BENCH.sessions),
    concurrencyOf: called.option(BENCH.concurrencyOf),
    signal: state.stop,
  });
  const today = await factsToday(request, state, {
    home: resolveHome({ ...state, option: invocation.option(homeOption) }),
    noteGit: called.option(BENCH.noteGit),
  });
  const isSweep = stored.command.name === 'sweep';
  return differenceLines(
    rerunDifferences(
      stored.earlier,
      isSweep ? { ...today, provenance: unknown('each stage has it in its own report') } : today,
    ),
  );
};

const differenceLines = ({ rows, unreported, unseen }: RerunDifferences): readonly string[] => [
  rows.length === 0 ? 'No difference is known.' : 'Different today:',
  ...rows.map(
    ({ name, before, today }) =>
      `  ${capitalized(showable(name))}: ${showable(before)} -> ${showable(today)}`,
  ),
  ...grouped('Not in its report', unreported),
  ...grouped('Not known today', unseen),
];

/** Facts of one reason in one line. */
const grouped = (
  head: string,
  facts: readonly { readonly name: string; readonly reason: string }[],
): readonly string[] =>
  [...Map.groupBy(facts, ({ reason }) => reason)].map(
    ([reason, named]) =>
      `${head}: ${named.map(({ name }) => showable(name)).join(', ')} (${showable(reason)})`,
  );

const readLines = (reads: readonly StoredRead[], directory: string): readonly string[] =>
  reads.length === 0
    ? ['It would read no other file.']
    : ['It would read:', ...reads.map(read => `  ${readLine(read, directory)}`)];

const readLine = ({ option, location, kind, isOfRun }: StoredRead, directory: string): string => {
  const folder = showable(dirname(location));
  switch (kind) {
    case 'url':
      return `${option}: the address ${showable(location)}`;
    case 'missing':
      return `${option}: ${showable(basename(location))}, which is not there, in ${folder}`;
    case 'file':
    case 'folder':
      return `${option}: the ${kind} ${showable(basename(location))} in ${folder}, ${isOfRun ? 'of' : 'outside of'} ${showable(directory)}`;
    default:
      return kind satisfies never;
  }
};

/** Whether requests may be sent to the target and the files be read, so that they can be compared. */
const mayRead = async (
  reads: readonly StoredRead[],
  { stored, invocation, state }: Omit<Agreement, 'compare'>,
  questions: Questions,
): Promise<boolean> => {
  const named = new Set(
    invocation.option(readOption).flatMap(location => [location, resolve(state.cwd, location)]),
  );
  const [first, ...others] = reads.filter(({ isOfRun, location }) => !isOfRun && !named.has(location));
  if (first !== undefined) {
    const rest = others.length === 0 ? '' : ` and ${others.length} more`;
    return await questions.isAgreed(
      `Send requests to ${targetsText(stored)} to compare it, and read what is listed, ${showable(first.location)}${rest} outside of the run's directory?`,
      `--yes does not cover ${showable(first.location)} (${first.option}). If it may be read: ${shellCommand`--yes ${[first, ...others].flatMap(({ location }) => ['--read', location])}`}`,
    );
  }
  if (invocation.option(yesOption)) return true;
  return await questions.isAgreed(
    `Send requests to ${targetsText(stored)} to compare it${reads.length === 0 ? '' : ', and read these files'}?`,
    'To run it without confirmation: --yes',
  );
};

const mayRun = async (stored: StoredCall, invocation: Invocation, questions: Questions): Promise<boolean> => {
  if (invocation.option(yesOption)) return true;
  return await questions.isAgreed(
    `Load ${targetsText(stored)} again?`,
    'To run it without confirmation: --yes',
  );
};

const targetsText = (stored: StoredCall): string =>
  urlsOf(stored)
    .map(text => showable(text))
    .join(', ');

/** A line of what is typed for each. */
class Questions {
  readonly #state: ProcessState;
  #lines: AsyncIterator<InputLine> | undefined;

  constructor(state: ProcessState) {
    this.#state = state;
  }

  /** @throws CommandError `usage` where nobody can be asked */
  async isAgreed(question: string, withoutTerminal: string): Promise<boolean> {
    const { stdout } = this.#state;
    if (!stdout.isTerminal) throw usage(`${question} There is no terminal to ask at`, withoutTerminal);
    await stdout.write(`${question} [y/N] `);
    this.#lines ??= this.#state.inputLines(ANSWER_BYTES_MAX)[Symbol.asyncIterator]();
    const next = await this.#lines.next();
    this.#state.stop.throwIfAborted();
    return next.done !== true && next.value.kind === 'line' && /^\s*y(es)?\s*$/i.test(next.value.text);
  }

  /** The run does not read standard input. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines?.return?.();
  }
}

const ANSWER_BYTES_MAX = 1_024;
