// How far a series of simulated runs has come, in a file: it takes most of an hour, and goes on where it stopped. Runs of other code do
// not count: the file holds a digest of all sources and of the simulation.

import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { writeFileAtomic } from '../../../src/process/atomic-file.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const soFar = v.object({
  code: v.string(),
  runs: count,
  requests: count,
  faults: count,
  /** Of the clock, while runs were made. */
  seconds: v.number(),
});

export type RunsSoFar = v.InferOutput<typeof soFar>;

export class RunsSoFarFile {
  readonly #path: string;

  /** @param seed of the first run of the series */
  constructor(seed: number) {
    this.#path = join(ROOT, '.cache', 'simulated-runs', `${seed}.json`);
  }

  read(): RunsSoFar {
    const code = codeDigest();
    const none: RunsSoFar = { code, runs: 0, requests: 0, faults: 0, seconds: 0 };
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch {
      return none;
    }
    const found = v.safeParse(v.pipe(v.string(), v.parseJson(), soFar), text);
    return found.success && found.output.code === code ? found.output : none;
  }

  async write(runs: RunsSoFar): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true });
    await writeFileAtomic(this.#path, JSON.stringify(runs));
  }
}

const codeDigest = (): string => {
  const hash = createHash('sha256');
  for (const name of globSync(['src/**/*.ts', 'test/simulator/run/*.ts'], { cwd: ROOT }).toSorted())
    hash.update(readFileSync(join(ROOT, name)));
  return hash.digest('hex');
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
