// What stops a benchmark before it has figures to show: the person's input, the target, or the run directory. It holds no
// secret.

import { type Problem, ProblemError } from '../core/problem.ts';

type BenchProblem = Problem<
  'input' | 'unreachable' | 'run-directory' | 'failed' | 'prompts-differ' | 'rejected'
>;

export class BenchError extends ProblemError<BenchProblem> {
  override readonly name = 'BenchError';
}
