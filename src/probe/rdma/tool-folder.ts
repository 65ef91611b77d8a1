// The folder for the files of one tool run: created only for a tool that needs files, and removed with the run. A process
// that is killed cannot remove its folder, so each probe also removes what earlier ones have left empty.

import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface ToolFolder extends AsyncDisposable {
  /** Nothing is there before `write`. */
  readonly path: string;
  /** @throws the system's error when a file cannot be written. */
  write(files: readonly { readonly name: string; readonly text: string }[]): Promise<void>;
}

export const toolFolder = (): ToolFolder => {
  const path = join(tmpdir(), `${PREFIX}${randomBytes(RANDOM_BYTES).toString('hex')}`);
  return {
    path,
    write: async files => {
      if (files.length === 0) return;
      await mkdir(path, { mode: 0o700 });
      for (const { name, text } of files) await writeFile(join(path, name), text, { mode: 0o600 });
    },
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true });
    },
  };
};

/**
 * Removes folders of this kind that are empty, belong to this user and are older than any probe: the temporary folder is
 * shared, so nothing else is touched. What cannot be removed stays. @returns how many were removed
 */
export const removeStaleFolders = async ({
  temporaryFolder,
  nowWallMs,
  userId,
}: {
  readonly temporaryFolder: string;
  readonly nowWallMs: number;
  /** Undefined where the system has no such numbers: then nothing is removed. */
  readonly userId: number | undefined;
}): Promise<number> => {
  const names = await readdir(temporaryFolder).catch(() => []);
  let removed = 0;
  for (const name of names.filter(one => one.startsWith(PREFIX)).slice(0, STALE_FOLDERS_MAX)) {
    const path = join(temporaryFolder, name);
    try {
      const found = await lstat(path);
      const isStale = found.isDirectory() && found.uid === userId && nowWallMs - found.mtimeMs > STALE_MS;
      if (!isStale) continue;
      await rmdir(path); // refuses one with anything in it
      removed += 1;
    } catch {
      // Gone meanwhile, not empty, or not ours to remove.
    }
  }
  return removed;
};

const PREFIX = 'plimsoll-rdma-';
/** No other user of the machine can guess it. */
const RANDOM_BYTES = 8;
/** A probe takes less than two minutes. */
const STALE_MS = 3_600_000;
/** At a time; the next probe removes more. */
const STALE_FOLDERS_MAX = 1_000;
