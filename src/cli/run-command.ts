// One run of the command line, from words to exit code. Never throws: what was not foreseen is printed with its stack,
// because then it is a bug, and ends with code 1.

import { unlessAborted } from '../clock/clock.ts';
import { errorMessage } from '../core/problem.ts';
import { COMMAND_WORDS, type Command, jsonOption } from './command.ts';
import { CommandError, terminalText, usage } from './command-error.ts';
import { parseCommandLine, type RunLine } from './command-line.ts';
import { environmentName, isOn } from './environment-words.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { commandHelp, commandList, explainedOptions } from './help.ts';
import { LIKE_TOOLS } from './like/like-command.ts';
import { type OutputStream, type ProcessState, StopRequest } from './process-state.ts';
import { INSTALLED } from './program-name.ts';
import type { TargetedLine } from './target/named-targets.ts';

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

/** Of a line in which the command may get a longer name. */
const textColumns = ({ stdout, program }: ProcessState): number =>
  stdout.columns - Math.max(0, program.length - INSTALLED.length);

/** Output for programs always names the command `plimsoll`, however it was started. */
const withProgram = (state: ProcessState): ProcessState => {
  const isJson = state.args.includes('--json') || isOn(state.env[environmentName(jsonOption)] ?? '');
  if (isJson || READ_BY_PROGRAMS.includes(state.args[0] ?? '')) return state;
  const words = [...COMMAND_WORDS, 'COMMAND', '--help', '--version'];
  return {
    ...state,
    stdout: typedAs(state.stdout, state.program, words),
    stderr: typedAs(state.stderr, state.program, words),
  };
};

const run = async (commands: readonly Command[], state: ProcessState): Promise<ExitCode> => {
  if (isForeign(state.args)) await refuseForeignCommand(state.args);
  const line = parseCommandLine(state.args, commands, { env: state.env });
  switch (line.kind) {
    case 'help': {
      const options = { isFull: line.isFull, columns: textColumns(state) };
      await state.stdout.write(
        line.command === undefined
          ? commandList(commands, line.group, options)
          : commandHelp(line.command, options),
      );
      return EXIT_CODES.ok.code;
    }
    case 'explain':
      for (const note of line.notes) await state.stderr.write(`plimsoll: ${note}\n`);
      await state.stdout.write(explainedOptions(line, textColumns(state)));
      return EXIT_CODES.ok.code;
    case 'version':
      await state.stdout.write(`${state.version}\n`);
      return EXIT_CODES.ok.code;
    case 'run': {
      for (const note of line.notes) await state.stderr.write(`plimsoll: ${note}\n`);
      const { invocation, args } = mayHaveNames(line) ? await targeted(line, state) : line;
      const run = line.command.run(invocation, { ...state, args });
      return line.command.mayBeLeft === true ? await leftAtStop(run, state.stop) : await run;
    }
    default:
      return line satisfies never;
  }
};

/** Whether a server may be named otherwise than by a URL: only then the code for that is loaded. */
const mayHaveNames = ({ command, invocation }: RunLine): boolean => {
  const options = command.options.filter(({ target }) => target !== undefined);
  const texts: readonly unknown[] = [
    ...(command.arguments.some(({ target }) => target !== undefined) ? invocation.arguments : []),
    ...options.map(invocation.option),
  ];
  return texts.some(text => typeof text === 'string' && !text.includes('/'));
};

const targeted = async (line: RunLine, state: ProcessState): Promise<TargetedLine> => {
  const { withTargets } = await import('./target/named-targets.ts');
  return await withTargets(line.command, line, state);
};

const isForeign = ([first = '']: readonly string[]): boolean =>
  LIKE_TOOLS.some(tool => tool === first) || /^python3?$/.test(first);

/** "plimsoll vllm bench serve …". @throws CommandError `usage` with the command of ours */
const refuseForeignCommand = async (args: readonly string[]): Promise<void> => {
  const { foreignCommand } = await import('./like/like-tool.ts');
  const ours = foreignCommand(args);
  if (ours?.kind === 'ok')
    throw usage(`${args[0] ?? ''} is another tool; the same load, by Plimsoll:`, ours.value.command);
  if (ours?.kind === 'wrong')
    throw usage(
      `${args[0] ?? ''} is another tool, and its command cannot be read: ${ours.problem}`,
      ours.advice,
    );
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
  const typed = new RegExp(
    `(?:(?<![\\w./-])|(?<=\\u001b\\[[\\d;]*m))plimsoll (?=(?:${words.join('|')})\\b)`,
    'g',
  );
  return {
    // A screen is laid out to the column: what it draws stays as it is.
    write: text => stream.write(SCREEN.test(text) ? text : text.replace(typed, `${program} `)),
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

const ESCAPE = '\u001b';
/** A sequence of the terminal that is no colour. */
const SCREEN = new RegExp(`${ESCAPE}\\[[\\d;?]*[A-Za-ln-z]`);
