// An error of the person at the keyboard, or one that they can mend: two lines and an exit code, no stack.

import type { ExitCode, ExitName } from './exit-codes.ts';
import { EXIT_CODES } from './exit-codes.ts';

export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  /** `problem` says what is wrong and where, `advice` what to do; one line each. */
  constructor(exit: ExitName, problem: string, advice: string, options?: ErrorOptions) {
    super(`${problem}\n${advice}`, options);
    this.exitCode = EXIT_CODES[exit].code;
  }
}
