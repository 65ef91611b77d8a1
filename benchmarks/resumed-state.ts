// The results of a benchmark so far, in a file: it takes hours, and continues when it is run again. Results of other
// code do not count: the file contains a digest of all code that a result depends on.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { writeFileAtomic } from '../src/process/atomic-file.ts';

export interface ResumedState<Found> {
  /** What was found; its owner changes it and then calls `write`. */
  readonly found: Found;
  readonly write: () => Promise<void>;
}

/** Ignored by git; one folder for each benchmark. */
export const usualStatePath = (benchmark: string): string =>
  fileURLToPath(new URL(`../.cache/${benchmark}/state.json`, import.meta.url));

/**
 * @param code files and folders of the repository, relative to its root
 * @throws {Error} if the file exists and is not JSON
 */
export const resumeState = <Schema extends v.GenericSchema>({
  path,
  schema,
  code,
  empty,
}: {
  readonly path: string;
  readonly schema: Schema;
  readonly code: readonly string[];
  readonly empty: v.InferOutput<Schema>;
}): ResumedState<v.InferOutput<Schema>> => {
  const digest = digestOf(code);
  const stored = v.safeParse(v.object({ code: v.literal(digest), found: schema }), readJson(path));
  const found = stored.success ? stored.output.found : empty;
  return {
    found,
    write: async () => {
      mkdirSync(dirname(path), { recursive: true });
      await writeFileAtomic(path, JSON.stringify({ code: digest, found }));
    },
  };
};

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const digestOf = (code: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of code.flatMap(filesIn)) hash.update(readFileSync(file));
  return hash.digest('hex');
};

const filesIn = (relative: string): readonly string[] => {
  const path = fileURLToPath(new URL(`../${relative}`, import.meta.url));
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .map(name => join(path, name));
};
