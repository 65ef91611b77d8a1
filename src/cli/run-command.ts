// One run of the command line, from words to exit code. Never throws: what was not foreseen is printed with its stack,
// because then it is a bug, and ends with code 1.

import { unlessAborted } from '../clock/clock.ts';
import { errorMessage } from '../core/problem.ts';
import { inColumns } from '../core/text/columns.ts';
import { COMMAND_WORDS, type Command, type CommandArgument, type Option } from './command.ts';
import { CommandError, terminalText } from './command-error.ts';
import { parseCommandLine } from './command-line.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { type OutputStream, type ProcessState, StopRequest } from './process-state.ts';
import { INSTALLED } from './program-name.ts';

export const runCommand = async (commands: readonly Command[], given: ProcessState): Promise<ExitCode> => {
  const state = withProgram(given);
  try {
    return await run(commands, state);
  } catch (error) {
    if (error instanceof CommandError) {
      await state.stderr.write(terminalText(error.problem));
      return error.exitCode;
    }
    // Only a command that had not finished lets the request through.
    const stop: unknown = state.stop.aborted ? state.stop.reason : undefined;
    if (stop instanceof StopRequest && isAbort(error, stop)) return stop.exitCode;
    const text = error instanceof Error && error.stack !== undefined ? error.stack : errorMessage(error);
    await state.stderr.write(`plimsoll: this should not have happened:\n${text}\n`);
    return EXIT_CODES.failure.code;
  }
};

/** Output for programs always names the command `plimsoll`, however it was started. */
const withProgram = (state: ProcessState): ProcessState => {
  if (state.args.includes('--json') || READ_BY_PROGRAMS.includes(state.args[0] ?? '')) return state;
  const words = [...COMMAND_WORDS, 'COMMAND', '--help', '--version'];
  return {
    ...state,
    stdout: typedAs(state.stdout, state.program, words),
    stderr: typedAs(state.stderr, state.program, words),
  };
};

const run = async (commands: readonly Command[], state: ProcessState): Promise<ExitCode> => {
  const line = parseCommandLine(state.args, commands);
  switch (line.kind) {
    case 'help':
      await state.stdout.write(
        line.command === undefined ? commandList(commands, line.group) : commandHelp(line.command),
      );
      return EXIT_CODES.ok.code;
    case 'version':
      await state.stdout.write(`${state.version}\n`);
      return EXIT_CODES.ok.code;
    case 'run':
      return line.command.mayBeLeft === true
        ? await leftAtStop(line.command.run(line.invocation, state), state.stop)
        : await line.command.run(line.invocation, state);
    default:
      return line satisfies never;
  }
};

/** @throws the reason of the stop */
const leftAtStop = async (work: Promise<ExitCode>, stop: AbortSignal): Promise<ExitCode> => {
  const code = await unlessAborted(work, stop);
  if (code !== undefined) return code;
  stop.throwIfAborted();
  return EXIT_CODES.failure.code;
};

const isAbort = (error: unknown, stop: StopRequest): boolean =>
  error === stop || (error instanceof Error && (error.name === 'AbortError' || error.cause === stop));

/** Commands whose output a shell or man reads. */
const READ_BY_PROGRAMS: readonly string[] = ['completion', 'man', 'mcp'];

// What a person reads in a terminal, with every command as one types it there: "./plimsoll status" in a checkout. Texts are
// written with the installed name, "plimsoll status", and translated where they leave, so that no part need know where it runs.

/** `words`: what may stand behind the name, so that a sentence about Plimsoll stays one. */
const typedAs = (stream: OutputStream, program: string, words: readonly string[]): OutputStream => {
  if (program === INSTALLED) return stream;
  const typed = new RegExp(`(?<![\\w./-])plimsoll (?=(?:${words.join('|')})\\b)`, 'g');
  return {
    // A screen is laid out to the column: what it draws stays as it is.
    write: text => stream.write(text.includes(ESCAPE) ? text : text.replace(typed, `${program} `)),
    isTerminal: stream.isTerminal,
    hasColor: stream.hasColor,
    isUnicode: stream.isUnicode,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    closed: stream.closed,
  };
};

const ESCAPE = '\u001b[';

// What --help prints.

/** Of all commands, or of those of one group ("config"). */
const commandList = (commands: readonly Command[], group: string | undefined): string => {
  const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
  const lines = table(shown.map(command => [usageText(command), command.summary]));
  const intro =
    group === undefined
      ? ['Plimsoll, the load line for AI clusters: what your machines and cables can carry.', '']
      : [];
  return [
    ...intro,
    `Usage: plimsoll ${group ?? 'COMMAND'} [OPTIONS]`,
    '',
    'Commands:',
    ...lines,
    '',
    ...(group === undefined
      ? table([
          ['--help', 'This, or the help of a command: plimsoll up --help'],
          ['--version', 'The version of Plimsoll'],
        ])
      : [`See: plimsoll ${group} COMMAND --help`]),
    '',
  ].join('\n');
};

const commandHelp = (command: Command): string =>
  [
    `Usage: plimsoll ${usageText(command)} [OPTIONS]`,
    '',
    command.summary,
    ...(command.description === '' ? [] : ['', command.description]),
    ...section(
      'Arguments:',
      command.arguments.map(({ name, meaning }) => [name, meaning]),
    ),
    ...section('Options:', [...command.options.map(optionRow), ['--help', 'This help']]),
    ...section(
      'Examples:',
      command.examples.map(({ line, meaning }) => [line, meaning]),
    ),
    '',
  ].join('\n');

const usageText = ({ name, arguments: names }: Command): string =>
  [name, ...names.map(argumentText)].join(' ');

const argumentText = ({ name, isRequired, isRepeatable }: CommandArgument): string =>
  `${isRequired ? name : `[${name}]`}${isRepeatable === true ? ' …' : ''}`;

const optionRow = ({
  name,
  valueName,
  valueAlone,
  meaning,
  isRepeatable,
}: Option<unknown>): [string, string] => [
  `--${name}${valueName === undefined ? '' : valueAlone === undefined ? ` ${valueName}` : ` [${valueName}]`}${isRepeatable ? ' …' : ''}`,
  meaning,
];

const section = (title: string, rows: readonly (readonly [string, string])[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...table(rows)];

const table = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  inColumns(rows, { gap: 3 });
