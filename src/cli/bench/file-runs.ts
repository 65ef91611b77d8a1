// `plimsoll bench FILE.toml`, run after run, and `plimsoll bench … --save FILE`, which writes such a file.

import type { CallFile } from '../../core/run/provenance.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { STANDARD_OUTPUT, writeExport } from '../report/write-export.ts';
import { URL_SECRET } from '../sweep/kept-command.ts';
import { withTargets } from '../target/named-targets.ts';
import { BENCH, BENCH_OPTIONS } from './bench-options.ts';
import { parseBenchOptions } from './parse-bench-options.ts';
import { hasCredentials, isRunFile, readRunFile, runFileText, runNumber } from './run-file.ts';
import { givenStages } from './shape-options.ts';

/** `--save FILE`: writes the file of the command. */
export const saveRunFile = async (
  file: string,
  invocation: Invocation,
  state: ProcessState,
): Promise<ExitCode> => {
  const [first] = invocation.arguments;
  if (first !== undefined && isRunFile(first))
    throw usage(`${first} is a file of runs already`, 'Copy it, or leave out --save to run it.');
  if (file !== STANDARD_OUTPUT && !isRunFile(file))
    throw usage(
      `--save ${JSON.stringify(file)}: plimsoll bench would not read it as a file of runs`,
      'Give it a name that ends in .toml, .yaml or .json.',
    );
  // A command that cannot run is not saved.
  const urls = first === undefined ? undefined : await parsedUrls(invocation, state);
  const { text, secrets } = await runFileText(file, state.args.slice(1), { options: BENCH_OPTIONS, urls });
  const saved = await writeExport({ file, text: () => Promise.resolve(text) }, state);
  const left = [...secrets, ...(invocation.arguments.some(hasCredentials) ? [URL_SECRET] : [])];
  if (left.length > 0)
    await state.stderr.write(`plimsoll: left out, because they may be secret: ${left.join(', ')}\n`);
  if (saved !== '') await state.stdout.write(`${saved}To run it: ${shellCommand`plimsoll bench ${file}`}\n`);
  return EXIT_CODES.ok.code;
};

/** Without their credentials. */
const parsedUrls = async (invocation: Invocation, { cwd }: ProcessState): Promise<readonly string[]> => {
  const options = parseBenchOptions(invocation, cwd, await givenStages(invocation, cwd));
  return (options.targets ?? [options]).map(({ target }) => target.shown);
};

/** One after the other; the exit code is that of the first that did not end well. */
export const runsOfFile = async (
  argument: string,
  {
    command,
    given,
    state,
    run,
  }: {
    readonly command: Command;
    readonly given: Invocation;
    readonly state: ProcessState;
    readonly run: (
      invocation: Invocation,
      state: ProcessState,
      file: CallFile | undefined,
    ) => Promise<ExitCode>;
  },
): Promise<ExitCode> => {
  const [, ...words] = state.args;
  // Those of the command line replace those of the file.
  const hasUrl = given.arguments.length > 1;
  const rest = words.toSpliced(words.indexOf(argument), 1);
  const file = await readRunFile(argument, {
    cwd: state.cwd,
    options: BENCH_OPTIONS,
    given: new Set(rest.flatMap(word => /^--([^=]+)/.exec(word)?.[1] ?? [])),
  });
  const isOne = file.runs.length === 1;
  // All of them are read before the first is run.
  const lines = [];
  for (const { label, urls, words: own } of file.runs)
    lines.push(
      await ofFile(isOne ? argument : `${argument}, ${label}`, async () => {
        const line = parseCommandLine([command.name, ...(hasUrl ? [] : urls), ...own, ...rest], [command]);
        if (line.kind !== 'run') throw new Error('a run of a file has no command line');
        const targeted = await withTargets(command, line, state);
        if (targeted.invocation.arguments.length > 0) await parsedUrls(targeted.invocation, state);
        return targeted;
      }),
    );
  refuseSharedOut(
    argument,
    lines.map(({ invocation }) => invocation.option(BENCH.out)),
  );
  // Its text is stored with each run, unless something in it may be secret.
  const stored = file.hasSecrets ? undefined : { name: file.name, text: file.text };
  let exit: ExitCode = EXIT_CODES.ok.code;
  for (const [at, { invocation, args }] of lines.entries()) {
    const label = file.runs[at]?.label ?? '';
    const what = label === runNumber(at) ? '' : `: ${label}`;
    if (!isOne) await state.stderr.write(`plimsoll: ${runNumber(at)} of ${lines.length}${what}\n`);
    const code = await run(invocation, { ...state, args }, stored);
    if (exit === EXIT_CODES.ok.code) exit = code;
    if (state.stop.aborted) return exit;
  }
  return exit;
};

/** @throws CommandError that names the file */
const ofFile = async <T>(name: string, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.code, `${name}: ${error.problem.problem}`, error.problem.advice, {
      cause: error,
    });
  }
};

/** A directory contains one run. @throws CommandError `usage` */
const refuseSharedOut = (argument: string, outs: readonly (string | undefined)[]): void => {
  const shared = outs.find((out, at) => out !== undefined && outs.indexOf(out) !== at);
  if (shared !== undefined)
    throw usage(
      `${argument}: --out ${shared} is the directory of one run, and the file has ${outs.length}`,
      'Without it, each run has a directory of its own; or set out in each of [[runs]].',
    );
};
