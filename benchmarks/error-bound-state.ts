// The results of a series of error-bound runs so far, in a file: it takes hours, and can be continued. Runs of other
// code do not count: the key is a digest of the code that measures and that computes bounds.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { writeFileAtomic } from '../src/process/atomic-file.ts';

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

const content = v.object({ code: v.string(), runs: v.record(v.string(), v.array(run)) });

export class ErrorBoundState {
  readonly #path: string;
  readonly #content: v.InferOutput<typeof content>;

  constructor(path: string) {
    this.#path = path;
    this.#content = read(path) ?? { code: codeDigest(), runs: {} };
  }

  runs(condition: string): readonly ErrorBoundRun[] {
    return this.#content.runs[condition] ?? [];
  }

  async add(condition: string, one: ErrorBoundRun): Promise<void> {
    this.#content.runs[condition] = [...this.runs(condition), one];
    mkdirSync(dirname(this.#path), { recursive: true });
    await writeFileAtomic(this.#path, JSON.stringify(this.#content));
  }
}

export const errorBoundStatePath = (): string =>
  fileURLToPath(new URL('../.cache/error-bound/state.json', import.meta.url));

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
  for (const folder of [
    '../src/bench/load/',
    '../src/bench/parse/',
    '../src/bench/arena/',
    '../src/bench/threads/',
  ])
    for (const name of readdirSync(new URL(folder, import.meta.url)).toSorted())
      hash.update(readFileSync(new URL(folder + name, import.meta.url)));
  const bounds = ['bound-percentiles', 'error-bounds', 'gap-bounds', 'time-bins', 'value-edges'];
  for (const name of [...bounds, 'wake-lateness'])
    hash.update(readFileSync(new URL(`../src/metrics/${name}.ts`, import.meta.url)));
  return hash.digest('hex');
};
