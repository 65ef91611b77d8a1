// Why a daemon could not start, for the person who started it.

import { type Problem, ProblemError } from '../core/problem.ts';

type DaemonProblem = Problem<'home-in-use' | 'home-unusable' | 'address-in-use'>;

export class DaemonError extends ProblemError<DaemonProblem> {
  override readonly name = 'DaemonError';
}
