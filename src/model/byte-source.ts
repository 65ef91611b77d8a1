// Bytes that are read by range: a file, a part of one over HTTP, or memory. Readers of headers request only what they
// need, and never as much as an untrusted length field states.

import { ExpansionBudget } from '../core/input/expansion-budget.ts';
import type { InputKind } from '../core/input/input-limits.ts';
import { parseAnyJson } from '../core/json.ts';
import { type Problem, ProblemError } from '../core/problem.ts';

export interface ByteSource extends AsyncDisposable {
  /** The path or URL, for messages. */
  readonly location: string;
  readonly byteCount: number;
  /** Up to `length` bytes from `offset`; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

// Limit for the expansion of all headers of one model together: a model may be split over a thousand files, each of
// them within its own limit.
export const headerBudget = (kind: InputKind, location: string): ExpansionBudget =>
  new ExpansionBudget(
    kind,
    ({ problem, advice }) => new ModelError({ code: 'damaged', problem: `${location}: ${problem}`, advice }),
  );

/** undefined for what is not JSON. @throws ModelError for what expands too far */
export const parsedModelJson = (text: string, location: string): unknown => {
  headerBudget('modelConfig', location).addJson(text);
  return parseAnyJson(text);
};

// A model whose facts cannot be read: what is wrong, where in it, and what to do.

/**
 * `damaged`: invalid in its own format. `unsupported`: valid, but unknown here. `missing`: not there, or not
 * readable.
 */
type ModelProblem = Problem<'damaged' | 'unsupported' | 'missing'>;

export class ModelError extends ProblemError<ModelProblem> {
  override readonly name = 'ModelError';
}
