// One daemon per home, by a lock that is released with the process that holds it.

import { join } from 'node:path';
import { errorMessage } from '../core/problem.ts';
import { isDiskFull, lockFile } from '../process/file-lock.ts';
import { readInputTextSync } from '../process/input-file.ts';
import { DaemonError } from './daemon-error.ts';

const HOME_LOCK_FILE = 'daemon.lock';

/** @throws DaemonError `home-in-use` when another daemon holds the home, `home-unusable` when no lock can be taken. */
export const lockHome = (home: string): Disposable => {
  const path = join(home, HOME_LOCK_FILE);
  const lock = lockOf(path);
  if (lock !== undefined) return lock;
  throw new DaemonError({
    code: 'home-in-use',
    problem: `Another Plimsoll daemon${ownerText(home)} uses ${home}.`,
    advice: 'Stop it, or give this one its own home with --home DIR.',
  });
};

const lockOf = (path: string): Disposable | undefined => {
  try {
    return lockFile(path);
  } catch (error) {
    throw new DaemonError(
      {
        code: 'home-unusable',
        problem: `${path} cannot be locked: ${errorMessage(error)}.`,
        advice: `${isDiskFull(error) ? 'Free some space' : 'Make the folder writable'}, or choose another with --home DIR.`,
      },
      { cause: error },
    );
  }
};

const ownerText = (home: string): string => {
  try {
    const { pid }: { pid?: unknown } = JSON.parse(readInputTextSync(join(home, 'daemon.json'), 'homeFile'));
    return typeof pid === 'number' ? ` (process ${pid})` : '';
  } catch {
    return ''; // the other one has not written it yet, or it is being replaced
  }
};
