// The home of a demo: a folder of its own in the system's temporary one, gone when the demo ends. One that a demo left behind
// when it was killed is removed by the next.

import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { DaemonError } from '../daemon-error.ts';
import { NODE_KEY_FILE } from '../node-key.ts';

export interface DemoHome extends AsyncDisposable {
  readonly path: string;
}

export interface DemoHomeOptions {
  readonly temporaryFolder: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** Of the machine that the daemon plays: its key, as a home keeps it. */
  readonly nodeKeyPem: string;
}

/** @throws DaemonError `home-unusable` where no folder can be made. */
export const openDemoHome = async (options: DemoHomeOptions): Promise<DemoHome> => {
  const { temporaryFolder, pid, nodeKeyPem } = options;
  await removeLeft(options);
  const path = await madeFolder(temporaryFolder);
  await writeFileAtomic(join(path, DEMO_FILE), `${JSON.stringify({ pid })}\n`);
  await writeFileAtomic(join(path, NODE_KEY_FILE), nodeKeyPem);
  await mkdir(join(path, 'runs'), { mode: 0o700 });
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
};

const madeFolder = async (temporaryFolder: string): Promise<string> => {
  try {
    return await mkdtemp(join(temporaryFolder, DEMO_HOME_PREFIX));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DaemonError(
      'home-unusable',
      `The demo cannot make its home: ${reason}.\nName a folder that can be written: TMPDIR=/some/folder plimsoll demo`,
      { cause: error },
    );
  }
};

/** Only what says that a demo made it, and whose demo is no more. */
const removeLeft = async ({ temporaryFolder, isAlive }: DemoHomeOptions): Promise<void> => {
  const names = await readdir(temporaryFolder).catch(() => []);
  for (const name of names.filter(one => one.startsWith(DEMO_HOME_PREFIX)).slice(0, LEFT_HOMES_MAX)) {
    const path = join(temporaryFolder, name);
    const pid = await demoPid(join(path, DEMO_FILE));
    if (pid === undefined || isAlive(pid)) continue;
    // Somebody else's folder cannot be removed, and need not be.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
};

const demoPid = async (file: string): Promise<number | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    const pid = typeof value === 'object' && value !== null && 'pid' in value ? value.pid : undefined;
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined; // no demo's, or not to be read by us
  }
};

const DEMO_HOME_PREFIX = 'plimsoll-demo-';
const DEMO_FILE = 'demo.json';
/** Looked at on one start. */
const LEFT_HOMES_MAX = 50;
