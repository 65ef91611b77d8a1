// SQLite's result codes as the journal's errors: what happened, to which file, and what a person can do.
// Codes: https://www.sqlite.org/rescode.html; the low byte is the primary code.

import type { Problem } from '../core/problem.ts';
import { JournalError, type JournalErrorCode } from './journal.ts';

/** The error as a JournalError if it concerns the file or the disk; otherwise unchanged, because it is a bug here. */
export const journalErrorOf = (error: unknown, path: string): unknown => {
  if (error instanceof JournalError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  return code === undefined
    ? error
    : new JournalError({ code, advice: '', ...SENTENCES[code](path, error.message) }, { cause: error });
};

export const isDamage = (error: unknown): boolean => error instanceof Error && codeOf(error) === 'damaged';

/** SQLITE_READONLY_ROLLBACK: a transaction from before the write-ahead log has to be rolled back first. */
export const isUnfinished = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 776;

const codeOf = (error: Error): keyof typeof SENTENCES | undefined => {
  if (error instanceof JournalError) return error.code === 'damaged' ? 'damaged' : undefined;
  if (!('code' in error) || typeof error.code !== 'string') return undefined;
  if (error.code === 'ERR_INVALID_STATE') return 'closed';
  if (FILE_CODES.has(error.code)) return 'io';
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return 'full';
  if (error.code !== 'ERR_SQLITE_ERROR' || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return EXTENDED_CODES[error.errcode] ?? PRIMARY_CODES[error.errcode & 0xff];
};

const SENTENCES = {
  locked: path => ({
    problem: `The journal ${path} is in use by another process.`,
    advice: 'Stop the other daemon of this home, or start with another --home.',
  }),
  full: path => ({
    problem: `The journal ${path} could not be written: the disk is full.`,
    advice: 'Free some disk space; nothing that was stored is lost.',
  }),
  damaged: (path, detail) => ({
    problem: `The journal ${path} is damaged: ${detail}.`,
    advice: 'Restart the daemon: it moves the file aside and starts a new one.',
  }),
  closed: path => ({ problem: `The journal ${path} is closed.` }),
  io: (path, detail) => ({
    problem: `The journal ${path} cannot be read or written: ${detail}.`,
    advice: 'Check that its directory exists, is yours and is writable, and that the disk works.',
  }),
} satisfies Partial<
  Record<JournalErrorCode, (path: string, detail: string) => Partial<Problem> & Pick<Problem, 'problem'>>
>;

const PRIMARY_CODES: Readonly<Record<number, keyof typeof SENTENCES>> = {
  3: 'io', // PERM
  5: 'locked', // BUSY
  6: 'locked', // LOCKED
  8: 'io', // READONLY
  10: 'io', // IOERR
  11: 'damaged', // CORRUPT
  13: 'full', // FULL
  14: 'io', // CANTOPEN
  22: 'io', // NOLFS
  26: 'damaged', // NOTADB
};

const EXTENDED_CODES: Readonly<Record<number, keyof typeof SENTENCES>> = {
  522: 'damaged', // IOERR_SHORT_READ: the file ends too early
  4874: 'full', // IOERR_SHMSIZE: no room for the shared memory file
  8458: 'damaged', // IOERR_CORRUPTFS
};

const FILE_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'EIO',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EMFILE',
  'ENFILE',
]);
