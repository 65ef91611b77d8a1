// What went wrong, in parts: a code for programs, two sentences for people, and the facts behind both. The
// sentences are written where the problem occurs (its facts may mean nothing elsewhere, and another version
// may not know the code); a view only lays them out. They are never parsed or compared: the code and the
// facts are for that.

import { withFullStop } from './text/single-line.ts';

export type Problem<Code extends string = string, Facts extends object = object> = Readonly<Facts> &
  Sentences & {
    /** Stable: programs of other versions compare it. */
    readonly code: Code;
  };

export interface Sentences {
  /** What, and where. */
  readonly problem: string;
  /** What to do about it; '' if nothing can be done. */
  readonly advice: string;
}

/** On one line, for logs and for surfaces with room for one text. */
export const problemText = ({ problem, advice }: Sentences): string =>
  advice === '' ? problem : `${withFullStop(problem)} ${advice}`;

/** A line for each sentence, for terminals. */
export const sentencesOf = ({ problem, advice }: Sentences): readonly string[] =>
  advice === '' ? [problem] : [problem, advice];

/** The base of errors that a person can fix. Its message is both sentences. */
export class ProblemError<P extends Problem = Problem> extends Error {
  override readonly name: string = 'ProblemError';
  readonly problem: P;
  readonly code: P['code'];

  constructor(problem: P, options?: ErrorOptions) {
    super(problemText(problem), options);
    this.problem = problem;
    this.code = problem.code;
  }
}

/** Text of a thrown value: the message of an error, or the value itself. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** "ENOENT" and similar; undefined if it is not an error of the system or of Node. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error &&
  !(error instanceof ProblemError) &&
  'code' in error &&
  typeof error.code === 'string'
    ? error.code
    : undefined;

/** The code of the system if there is one: short, and the same on every platform. */
export const shortReason = (error: unknown): string => errorCode(error) ?? errorMessage(error);
