// The results of a series of error-bound runs so far.

import * as v from 'valibot';
import { type ResumedState, resumeState } from './resumed-state.ts';

/** Of one figure of one run, ns. */
const boundedFigure = v.object({
  name: v.string(),
  /** Measured less true. */
  error: v.number(),
  above: v.number(),
  below: v.number(),
});

export type BoundedFigure = v.InferOutput<typeof boundedFigure>;

const run = v.object({
  figures: v.array(boundedFigure),
  load: v.number(),
  serverLateUsP99: v.number(),
  samples: v.number(),
});

export type ErrorBoundRun = v.InferOutput<typeof run>;

/** By condition. */
const runs = v.record(v.string(), v.array(run));

export class ErrorBoundState {
  readonly #state: ResumedState<v.InferOutput<typeof runs>>;

  constructor(path: string) {
    this.#state = resumeState({ path, schema: runs, code: CODE, empty: {} });
  }

  runs(condition: string): readonly ErrorBoundRun[] {
    return this.#state.found[condition] ?? [];
  }

  async add(condition: string, one: ErrorBoundRun): Promise<void> {
    this.#state.found[condition] = [...this.runs(condition), one];
    await this.#state.write();
  }
}

const BOUND_FILES = ['bound-percentiles', 'error-bounds', 'gap-bounds', 'time-bins', 'value-edges'];
/** What measures, and what computes bounds. */
const CODE = [
  ...['load', 'parse', 'arena', 'threads'].map(folder => `src/bench/${folder}`),
  ...[...BOUND_FILES, 'wake-lateness'].map(name => `src/metrics/${name}.ts`),
];
