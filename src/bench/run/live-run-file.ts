// <home>/live-runs/<id>.json: how `plimsoll watch` and the daemon find a run in progress. Removed at its end; a file
// that a killed run left is recognized because its process no longer exists.

import { mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { errorCode } from '../../core/problem.ts';
import type { Infer } from '../../core/schema.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { readInputText } from '../../process/input-file.ts';

export const LIVE_RUN_SCHEMA = 'plimsoll.live-run/1';

const liveRunsFolder = (home: string): string => join(home, 'live-runs');

/** Requires an existing home. @throws the system's error when it cannot be written. */
export const writeLiveRun = async (home: string, run: LiveRunRecord): Promise<void> => {
  const folder = liveRunsFolder(home);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await writeFileAtomic(join(folder, `${run.runId}.json`), `${JSON.stringify(run, undefined, 2)}\n`);
};

export const removeLiveRun = async (home: string, runId: string): Promise<void> => {
  await unlink(join(liveRunsFolder(home), `${runId}.json`)).catch(ignoreSystemError);
};

/** Newest first; foreign or incomplete files are left out, and those of runs whose process is gone are removed. */
export const readLiveRuns = async (
  home: string,
  isAlive: (pid: number) => boolean,
): Promise<readonly LiveRunRecord[]> => {
  const folder = liveRunsFolder(home);
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  const runs: LiveRunRecord[] = [];
  for (const name of names.filter(candidate => candidate.endsWith('.json')).slice(0, LIVE_RUNS_MAX)) {
    const path = join(folder, name);
    const run = parseLiveRun(await readInputText(path, 'homeFile').catch(() => ''));
    if (run === undefined) continue;
    if (isAlive(run.pid)) runs.push(run);
    else await unlink(path).catch(ignoreSystemError);
  }
  return runs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
};

const parseLiveRun = (text: string): LiveRunRecord | undefined => {
  try {
    const result = v.safeParse(SCHEMA, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
};

const ignoreSystemError = (error: unknown): void => {
  if (errorCode(error) === undefined) throw error;
};

const SCHEMA = v.object({
  schema: v.literal(LIVE_RUN_SCHEMA),
  runId: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** Absolute. */
  directory: v.pipe(v.string(), v.nonEmpty()),
  /** Where the snapshots are published. */
  snapshotsEndpoint: v.pipe(v.string(), v.nonEmpty()),
  /** ISO 8601, wall clock. */
  startedAt: v.string(),
  samplesMax: v.exactOptional(v.nullable(v.number()), null),
  durationMs: v.exactOptional(v.nullable(v.number()), null),
});

export type LiveRunRecord = Infer<typeof SCHEMA>;

const LIVE_RUNS_MAX = 1_000;
