// One run of the command line, from words to exit code. Never throws: what was not foreseen is printed with its stack,
// because then it is a bug, and ends with code 1.

import { unlessAborted } from '../clock/until-aborted.ts';
import { errorMessage } from '../core/problem.ts';
import type { Command } from './command.ts';
import { CommandError, terminalText } from './command-error.ts';
import { parseCommandLine } from './command-line.ts';
import { COMMAND_WORDS } from './command-words.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { commandHelp, commandList } from './help.ts';
import { type ProcessState, StopRequest } from './process-state.ts';
import { typedAs } from './typed-output.ts';

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
