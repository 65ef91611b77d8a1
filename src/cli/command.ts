// What a command is: its words, its options, and a function of the invocation and the process.

import type { ExitCode } from './exit-codes.ts';
import type { Option } from './options.ts';
import type { ProcessState } from './process-state.ts';

export interface Command {
  /** One or two words: "up", "config show". */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A few lines for its own help; '' where the summary says it all. */
  readonly description: string;
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly Option<unknown>[];
  readonly examples: readonly CommandExample[];
  run(invocation: Invocation, state: ProcessState): Promise<ExitCode>;
}

export interface CommandArgument {
  readonly name: string;
  readonly meaning: string;
  readonly isRequired: boolean;
}

export interface CommandExample {
  readonly line: string;
  readonly meaning: string;
}

export interface Invocation {
  /** The option's value, checked; its default when it was not given. */
  option<T>(option: Option<T>): T;
  readonly arguments: readonly string[];
}
