// Opens the file so that commits are on disk and no other process can write it, runs transactions, and reads
// rows column by column: a value of another type shows that the file is damaged.

import { chmodSync, closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { JournalError } from './journal.ts';

/** Opens for writing; creates the file, readable only by its owner, if there is none. */
export const openForWriting = (path: string): DatabaseSync => {
  createPrivately(path);
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    // Before the first access: with a permanent lock there is no shared-memory file, and no second writer.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    // Takes effect only in an empty file; other files have it since their creation.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
    if (mode !== 'wal')
      throw new JournalError({
        code: 'io',
        problem: `The file system of ${path} cannot store a journal.`,
        advice: '',
      });
    database.exec(SETTINGS);
    // Left by the previous inspection; while the lock is taken, nothing uses it.
    rmSync(`${path}-shm`, { force: true });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** A database that ends with the process. */
export const openInMemory = (): DatabaseSync => {
  const database = new DatabaseSync(':memory:');
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA trusted_schema = OFF');
  return database;
};

/** Size of the pages in use and free, bytes. */
export const databaseSizeBytes = (database: DatabaseSync): number =>
  pragma(database, 'page_count') * pragma(database, 'page_size');

export const pragma = (database: DatabaseSync, name: 'freelist_count' | 'page_count' | 'page_size'): number =>
  numberIn(database.prepare(`PRAGMA ${name}`).get(), name);

/** Opens for reading only, so closing leaves the file and its write-ahead log as they are. */
export const openForReading = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;');
  return database;
};

/** Commits what `work` did, all or nothing. */
export const inTransaction = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};

/**
 * Commits without waiting for the disk. If the process is killed nothing is lost; if the power fails, the last of it
 * may be lost, never the middle: the write-ahead log is read up to its first gap, and a waiting commit waits for all
 * previous ones.
 */
export const withoutFlush = (database: DatabaseSync, work: () => void): void => {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    work();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
};

/** 0 if there is no such file. */
export const fileSizeBytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

export type SqliteRow = Readonly<Record<string, SQLOutputValue>>;

export const numberIn = (row: SqliteRow | undefined, column: string): number => {
  const value = row?.[column];
  return typeof value === 'number' ? value : refuse(column);
};

export const textIn = (row: SqliteRow | undefined, column: string): string => {
  const value = row?.[column];
  return typeof value === 'string' ? value : refuse(column);
};

export const bytesIn = (row: SqliteRow | undefined, column: string): Uint8Array => {
  const value = row?.[column];
  return value instanceof Uint8Array ? value : refuse(column);
};

export const nodeIdIn = (row: SqliteRow | undefined, column: string): NodeId => {
  const value = row?.[column];
  return isNodeId(value) ? value : refuse(column);
};

const createPrivately = (path: string): void => {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Not opened if it exists: closing any descriptor of a file releases this process's POSIX locks on it.
  if (stat === undefined) closeSync(openSync(path, 'a', 0o600));
  else if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o600);
};

const refuse = (column: string): never => {
  throw new JournalError({
    code: 'damaged',
    problem: `The journal has a missing or invalid ${column}.`,
    advice: '',
  });
};

/** A daemon that is stopping may still have the lock for a moment. */
const LOCK_TIMEOUT_MS = 500;
/** `fullfsync` is for macOS, where fsync leaves the data in the drive's cache. WAL: checkpoint at 4 MB, cut back to that. */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA journal_size_limit = 4096000;
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
`;
