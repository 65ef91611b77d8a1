// The results of a run of line-truth so far, in a file: it takes hours, and can be continued. One search is one
// entry, identified by cell and seed, so that each is independent of when it ran. Results of other code do not count:
// the key is a digest of all code that a search uses.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { writeFileAtomic } from '../src/process/atomic-file.ts';
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
  readonly #path: string;
  readonly #content: Content;

  constructor(path: string) {
    this.#path = path;
    this.#content = read(path) ?? { code: codeDigest(), truths: {}, lines: {}, equal: {}, zooming: {} };
  }

  truth(cell: string): number | undefined {
    return this.#content.truths[cell];
  }

  setTruth(cell: string, truth: number): void {
    this.#content.truths[cell] = truth;
  }

  line(cell: string, seed: number): SearchedLine | undefined {
    return this.#content.lines[cell]?.[seed];
  }

  setLine(cell: string, seed: number, line: SearchedLine): void {
    const ofCell = this.#content.lines[cell] ?? {};
    ofCell[seed] = line;
    this.#content.lines[cell] = ofCell;
  }

  lines(cell: string): readonly SearchedLine[] {
    return Object.values(this.#content.lines[cell] ?? {});
  }

  /** Seconds of 12 equal stages; null: none that were tried. */
  equalSeconds(cell: string): number | null | undefined {
    return this.#content.equal[cell];
  }

  setEqualSeconds(cell: string, seconds: number | null): void {
    this.#content.equal[cell] = seconds;
  }

  /** Sweeps without prior knowledge of the line; null: none that were tried. */
  zooming(cell: string): ZoomingSweeps | null | undefined {
    return this.#content.zooming[cell];
  }

  setZooming(cell: string, sweeps: ZoomingSweeps | null): void {
    this.#content.zooming[cell] = sweeps;
  }

  async write(): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true });
    await writeFileAtomic(this.#path, JSON.stringify(this.#content));
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
  code: v.string(),
  truths: v.record(v.string(), v.number()),
  lines: v.record(v.string(), v.record(v.string(), line)),
  equal: v.record(v.string(), v.nullable(v.number())),
  zooming: v.record(
    v.string(),
    v.nullable(v.object({ seconds: v.number(), inside: v.number(), tried: v.number() })),
  ),
});

type Content = v.InferOutput<typeof content>;

const read = (path: string): Content | undefined => {
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
  for (const folder of ['../src/bench/line/', '../src/core/statistics/'])
    for (const name of readdirSync(new URL(folder, import.meta.url)).toSorted())
      hash.update(readFileSync(new URL(folder + name, import.meta.url)));
  for (const name of ['line-cells', 'simulated-line', 'queue-simulator'])
    hash.update(readFileSync(new URL(`../test/support/${name}.ts`, import.meta.url)));
  return hash.digest('hex');
};

export const usualStatePath = (): string =>
  fileURLToPath(new URL('../.cache/line-truth/state.json', import.meta.url));
