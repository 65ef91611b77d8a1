// An error of the user, or one that the user can fix: two lines and an exit code, no stack.

import { type Problem, ProblemError, type Sentences, sentencesOf } from '../core/problem.ts';
import { showable } from '../core/text/single-line.ts';
import { EXIT_CODES, type ExitCode, type ExitName } from './exit-codes.ts';

export class CommandError extends ProblemError<Problem<ExitName>> {
  override readonly name = 'CommandError';

  constructor(exit: ExitName, problem: string, advice: string, options?: ErrorOptions) {
    super({ code: exit, problem, advice }, options);
  }

  get exitCode(): ExitCode {
    return EXIT_CODES[this.code].code;
  }
}

/** A command line that cannot be run as it was typed. */
export const usage = (problem: string, advice: string): CommandError =>
  new CommandError('usage', problem, advice);

/** "plimsoll: what is wrong", and beneath it what to do. */
export const terminalText = (problem: Sentences): string =>
  `plimsoll: ${sentencesOf(problem)
    .map(text => showable(text))
    .join('\n')}\n`;

/** Ends a command with a problem from another part of Plimsoll that the user can fix. */
export const endedBy = (exit: ExitName, error: ProblemError): CommandError =>
  new CommandError(exit, error.problem.problem, error.problem.advice, { cause: error });
