// One daemon a home. The lock is a file lock of the operating system, held through SQLite because Node offers none: it
// falls with the process that holds it, so a kill -9 leaves nothing to clean up.

import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../process/atomic-file.ts';
import { DaemonError } from './daemon-error.ts';

export const HOME_LOCK_FILE = 'daemon.lock';

/** @throws DaemonError `home-in-use` when another daemon holds the home, `home-unusable` when no lock can be taken. */
export const lockHome = (home: string): Disposable => {
  const path = join(home, HOME_LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(path, 'a', 0o600)); // SQLite would let others read it
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database?.close();
    if (isBusy(error)) {
      throw new DaemonError(
        'home-in-use',
        `Another Plimsoll daemon${holder(home)} uses ${home}.\nStop it, or give this one its own home with --home DIR.`,
        { cause: error },
      );
    }
    throw new DaemonError(
      'home-unusable',
      `${path} cannot be locked: ${error instanceof Error ? error.message : String(error)}.\n${isFull(error) ? 'Free some space' : 'Make the folder writable'}, or choose another with --home DIR.`,
      { cause: error },
    );
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
};

/** Codes of sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

const isBusy = (error: unknown): boolean => hasCode(error, SQLITE_BUSY);

const isFull = (error: unknown): boolean => hasCode(error, SQLITE_FULL) || errorCode(error) === 'ENOSPC';

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === code;

const holder = (home: string): string => {
  try {
    const { pid }: { pid?: unknown } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'));
    return typeof pid === 'number' ? ` (process ${pid})` : '';
  } catch {
    return ''; // the other one has not written it yet, or it is being replaced
  }
};
