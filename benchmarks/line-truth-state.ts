// The results of a run of line-truth so far. One search is one entry, identified by cell and seed, so that each is
// independent of when it ran.

import * as v from 'valibot';
import { type ResumedState, resumeState } from './resumed-state.ts';
import type { ZoomingSweeps } from './zooming-sweeps.ts';

export interface SearchedLine {
  /** Ends of the result; null where it has none on that side. */
  readonly holds: number | null;
  readonly fails: number | null;
  readonly isConfirmed: boolean;
  readonly seconds: number;
  readonly issued: number;
}

export class LineTruthState {
  readonly #state: ResumedState<v.InferOutput<typeof content>>;

  constructor(path: string) {
    const empty = { truths: {}, lines: {}, equal: {}, zooming: {} };
    this.#state = resumeState({ path, schema: content, code: CODE, empty });
  }

  truth(cell: string): number | undefined {
    return this.#state.found.truths[cell];
  }

  setTruth(cell: string, truth: number): void {
    this.#state.found.truths[cell] = truth;
  }

  line(cell: string, seed: number): SearchedLine | undefined {
    return this.#state.found.lines[cell]?.[seed];
  }

  setLine(cell: string, seed: number, line: SearchedLine): void {
    const ofCell = this.#state.found.lines[cell] ?? {};
    ofCell[seed] = line;
    this.#state.found.lines[cell] = ofCell;
  }

  lines(cell: string): readonly SearchedLine[] {
    return Object.values(this.#state.found.lines[cell] ?? {});
  }

  /** Seconds of 12 equal stages; null: none that were tried. */
  equalSeconds(cell: string): number | null | undefined {
    return this.#state.found.equal[cell];
  }

  setEqualSeconds(cell: string, seconds: number | null): void {
    this.#state.found.equal[cell] = seconds;
  }

  /** Sweeps without prior knowledge of the line; null: none that were tried. */
  zooming(cell: string): ZoomingSweeps | null | undefined {
    return this.#state.found.zooming[cell];
  }

  setZooming(cell: string, sweeps: ZoomingSweeps | null): void {
    this.#state.found.zooming[cell] = sweeps;
  }

  write(): Promise<void> {
    return this.#state.write();
  }
}

const line = v.object({
  holds: v.nullable(v.number()),
  fails: v.nullable(v.number()),
  isConfirmed: v.boolean(),
  seconds: v.number(),
  issued: v.number(),
});

const content = v.object({
  truths: v.record(v.string(), v.number()),
  lines: v.record(v.string(), v.record(v.string(), line)),
  equal: v.record(v.string(), v.nullable(v.number())),
  zooming: v.record(
    v.string(),
    v.nullable(v.object({ seconds: v.number(), inside: v.number(), tried: v.number() })),
  ),
});

const CODE = [
  'src/bench/line',
  'src/core/statistics',
  ...['line-cells', 'simulated-line', 'queue-simulator'].map(name => `test/support/${name}.ts`),
];
