// The results of a run of compare-truth so far.

import * as v from 'valibot';
import { type ResumedState, resumeState } from './resumed-state.ts';

const compared = v.object({
  verdict: v.string(),
  pairs: v.number(),
  /** Of the primary at any look, without a margin. */
  isAlarm: v.boolean(),
  /** By metric, whether the interval holds the truth; null: the truth of it is not known. */
  covered: v.record(v.string(), v.nullable(v.boolean())),
  spread: v.number(),
  /** Neighbours of the first segment. */
  correlation: v.number(),
  /** The naive test on the first pair's requests, below 5 %. */
  isNaiveAlarm: v.boolean(),
  flipAndTAgree: v.boolean(),
});

export type ComparedOnce = v.InferOutput<typeof compared>;

/** By cell and seed. */
const cells = v.record(v.string(), v.record(v.string(), compared));

export class CompareTruthState {
  readonly #state: ResumedState<v.InferOutput<typeof cells>>;

  constructor(path: string) {
    this.#state = resumeState({ path, schema: cells, code: CODE, empty: {} });
  }

  get(cell: string, seed: number): ComparedOnce | undefined {
    return this.#state.found[cell]?.[seed];
  }

  set(cell: string, seed: number, found: ComparedOnce): void {
    const ofCell = this.#state.found[cell] ?? {};
    ofCell[seed] = found;
    this.#state.found[cell] = ofCell;
  }

  all(cell: string): readonly ComparedOnce[] {
    return Object.values(this.#state.found[cell] ?? {});
  }

  write(): Promise<void> {
    return this.#state.write();
  }
}

/** What decides; texts and pictures do not. */
const COMPARISON_FILES = ['judge-effect', 'judge-metrics', 'judge-pairs', 'pair-plan', 'comparison-metrics'];
const SUPPORT_FILES = ['simulated-comparison', 'queue-simulator', 'comparison-cells'];
const CODE = [
  ...COMPARISON_FILES.map(name => `src/core/comparison/${name}.ts`),
  'src/core/statistics',
  ...SUPPORT_FILES.map(name => `test/support/${name}.ts`),
];
