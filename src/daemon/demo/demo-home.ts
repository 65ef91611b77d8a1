// The home of a demo: a folder of its own in the system's temporary one, gone when the demo ends. The home of a killed
// demo is removed by the next one, which recognizes it by a lock that is no longer held: a process id means nothing to
// another container that shares the folder.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../core/problem.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { lockFile } from '../../process/file-lock.ts';
import { DaemonError } from '../daemon-error.ts';
import { NODE_KEY_FILE } from '../node-key.ts';

interface DemoHome extends AsyncDisposable {
  readonly path: string;
}

interface DemoHomeOptions {
  readonly temporaryFolder: string;
  /** Of the machine that the daemon plays: its key, as a home keeps it. */
  readonly nodeKeyPem: string;
}

/** @throws DaemonError `home-unusable` where no folder can be made. */
export const openDemoHome = async (options: DemoHomeOptions): Promise<DemoHome> => {
  const { temporaryFolder, nodeKeyPem } = options;
  await removeLeft(temporaryFolder);
  const path = await madeFolder(temporaryFolder);
  const lock = lockFile(join(path, LOCK_FILE));
  await writeFileAtomic(join(path, NODE_KEY_FILE), nodeKeyPem);
  await mkdir(join(path, 'runs'), { mode: 0o700 });
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      lock?.[Symbol.dispose]();
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

const madeFolder = async (temporaryFolder: string): Promise<string> => {
  try {
    return await mkdtemp(join(temporaryFolder, DEMO_HOME_PREFIX));
  } catch (error) {
    const reason = errorMessage(error);
    throw new DaemonError(
      {
        code: 'home-unusable',
        problem: `The demo cannot create its home: ${reason}.`,
        advice: 'Choose a writable folder: TMPDIR=/some/folder plimsoll demo',
      },
      { cause: error },
    );
  }
};

/** Only what a demo has locked once, and holds no more. */
const removeLeft = async (temporaryFolder: string): Promise<void> => {
  const names = await readdir(temporaryFolder).catch(() => []);
  for (const name of names.filter(one => one.startsWith(DEMO_HOME_PREFIX)).slice(0, LEFT_HOMES_MAX)) {
    const path = join(temporaryFolder, name);
    if (!isLeft(join(path, LOCK_FILE))) continue;
    // Another user's folder cannot be removed, and need not be.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
};

const isLeft = (lockPath: string): boolean => {
  if (!existsSync(lockPath)) return false;
  try {
    using lock = lockFile(lockPath);
    return lock !== undefined;
  } catch {
    return false; // not ours to lock, so not ours to remove
  }
};

const DEMO_HOME_PREFIX = 'plimsoll-demo-';
const LOCK_FILE = 'demo.lock';
/** Looked at on one start. */
const LEFT_HOMES_MAX = 50;
