// A model whose facts cannot be read: what is wrong, where in it, and what to do.

import { type Problem, ProblemError } from '../core/problem.ts';

/**
 * `damaged`: invalid in its own format. `unsupported`: valid, but unknown here. `missing`: not there, or not
 * readable.
 */
type ModelProblem = Problem<'damaged' | 'unsupported' | 'missing'>;

export class ModelError extends ProblemError<ModelProblem> {
  override readonly name = 'ModelError';
}
