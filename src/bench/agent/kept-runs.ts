// Runs whose samples no coordinator has acknowledged stay on the agent's disk, so that a person can copy them. Only
// the newest few are kept, so that a coordinator that dies repeatedly cannot fill the disk.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** @throws the file system's error. */
export const trimKeptRuns = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter(name => RUN_FOLDER.test(name));
  if (names.length <= KEPT_RUNS_MAX) return;
  const aged = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      return { path, changedMs: (await stat(path)).mtimeMs };
    }),
  );
  aged.sort((a, b) => b.changedMs - a.changedMs);
  for (const { path } of aged.slice(KEPT_RUNS_MAX)) await rm(path, { recursive: true, force: true });
};

/** The format of AgentSession: 8 random bytes. */
const RUN_FOLDER = /^[0-9a-f]{16}$/;
const KEPT_RUNS_MAX = 4;
