// A lock of the operating system on a file, taken through SQLite because Node offers none: it is released
// when its process exits, so a kill -9 leaves nothing to clean up and no expiry has to be guessed.

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../core/problem.ts';

/** @returns undefined while another process holds it. @throws if the file cannot be created or locked. */
export const lockFile = (path: string): Disposable | undefined => {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database?.close();
    if (hasSqliteCode(error, SQLITE_BUSY)) return undefined;
    throw error;
  }
  const locked = database;
  return { [Symbol.dispose]: () => locked.close() };
};

/** Whether a process holds it. A file that is missing or cannot be read is not locked as far as anybody can know. */
export const isFileLocked = (path: string): boolean => {
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    database.exec('SELECT count(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error;
    return error.errcode === SQLITE_BUSY;
  } finally {
    database?.close();
  }
};

export const isDiskFull = (error: unknown): boolean =>
  hasSqliteCode(error, SQLITE_FULL) || errorCode(error) === 'ENOSPC';

/** SQLite would let others read it. An existing file is not opened: closing it would drop this process's own lock. */
const makeFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
};

const hasSqliteCode = (error: unknown, code: number): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === code;

/** Codes of sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
