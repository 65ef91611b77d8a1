// The results of a run of compare-truth so far, in a file, so that it can be continued. Results of other code do not
// count: the key is a digest of all code that a comparison uses.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { writeFileAtomic } from '../src/process/atomic-file.ts';

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

const content = v.object({
  code: v.string(),
  cells: v.record(v.string(), v.record(v.string(), compared)),
});

export class CompareTruthState {
  readonly #path: string;
  readonly #content: v.InferOutput<typeof content>;

  constructor(path: string) {
    this.#path = path;
    this.#content = read(path) ?? { code: codeDigest(), cells: {} };
  }

  get(cell: string, seed: number): ComparedOnce | undefined {
    return this.#content.cells[cell]?.[seed];
  }

  set(cell: string, seed: number, found: ComparedOnce): void {
    const ofCell = this.#content.cells[cell] ?? {};
    ofCell[seed] = found;
    this.#content.cells[cell] = ofCell;
  }

  all(cell: string): readonly ComparedOnce[] {
    return Object.values(this.#content.cells[cell] ?? {});
  }

  async write(): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true });
    await writeFileAtomic(this.#path, JSON.stringify(this.#content));
  }
}

const read = (path: string): v.InferOutput<typeof content> | undefined => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const found = v.safeParse(content, JSON.parse(text));
  return found.success && found.output.code === codeDigest() ? found.output : undefined;
};

const codeDigest = (): string => {
  const hash = createHash('sha256');
  for (const name of COMPARISON_FILES)
    hash.update(readFileSync(new URL(`../src/core/comparison/${name}.ts`, import.meta.url)));
  const statistics = new URL('../src/core/statistics/', import.meta.url);
  for (const name of readdirSync(statistics).toSorted()) hash.update(readFileSync(new URL(name, statistics)));
  for (const name of ['simulated-comparison', 'queue-simulator', 'comparison-cells'])
    hash.update(readFileSync(new URL(`../test/support/${name}.ts`, import.meta.url)));
  return hash.digest('hex');
};

/** What decides; words and pictures do not. */
const COMPARISON_FILES = ['judge-effect', 'judge-metrics', 'judge-pairs', 'pair-plan', 'comparison-metrics'];

export const compareTruthStatePath = (): string =>
  fileURLToPath(new URL('../.cache/compare-truth/state.json', import.meta.url));
