// The one place that opens a file named by a person, a run's directory or a home. Only regular files are
// read: opening a named pipe would wait forever, a device has no end, and opening one may have side effects.
// Each is read up to the limit of its kind.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { binaryBytes } from '../core/input/expansion-budget.ts';
import { INPUT_LIMITS, type InputKind } from '../core/input/input-limits.ts';

/** Its message is part of a sentence: "it is a named pipe, not a regular file". */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
  readonly code: 'EISDIR' | 'NOT_A_FILE' | 'TOO_LARGE';
  readonly kind: InputKind;

  constructor(code: InputFileError['code'], kind: InputKind, message: string) {
    super(message);
    this.code = code;
    this.kind = kind;
  }
}

/** For reading part by part. @throws InputFileError, the system's error */
export const openInputFile = async (path: string, kind: InputKind): Promise<FileHandle> => {
  // Checked before it is opened: opening a tape rewinds it.
  checkRegular(await stat(path), kind);
  const file = await open(path, READING);
  try {
    // Something else may have taken its place.
    checkRegular(await file.stat(), kind);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** Reads the whole file. @throws InputFileError, the system's error, the signal's reason */
export const readInputFile = async (path: string, kind: InputKind, signal?: AbortSignal): Promise<Buffer> => {
  await using file = await openInputFile(path, kind);
  const { size } = await file.stat();
  checkSize(size, kind);
  const parts: Buffer[] = [];
  let taken = 0;
  for (;;) {
    signal?.throwIfAborted();
    const part = Buffer.allocUnsafe(partBytes(size - taken));
    const { bytesRead } = await file.read(part, 0, part.length, taken);
    if (bytesRead === 0) return parts.length === 1 ? (parts[0] ?? part) : Buffer.concat(parts, taken);
    parts.push(part.subarray(0, bytesRead));
    taken += bytesRead;
    // It may grow while it is read.
    checkSize(taken, kind);
  }
};

/** As `readInputFile`, as UTF-8. */
export const readInputText = async (path: string, kind: InputKind, signal?: AbortSignal): Promise<string> =>
  (await readInputFile(path, kind, signal)).toString('utf8');

/** As `readInputText`, for a small file that is read before anything runs. */
export const readInputTextSync = (path: string, kind: InputKind): string => {
  checkRegular(statSync(path), kind);
  const file = openSync(path, READING);
  try {
    const about = fstatSync(file);
    checkRegular(about, kind);
    checkSize(about.size, kind);
    const bytes = Buffer.alloc(about.size);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
};

const checkRegular = (about: Stats, kind: InputKind): void => {
  if (about.isFile()) return;
  if (about.isDirectory()) throw new InputFileError('EISDIR', kind, 'it is a folder');
  const what = about.isFIFO() ? 'a named pipe' : about.isSocket() ? 'a socket' : 'a device';
  throw new InputFileError('NOT_A_FILE', kind, `it is ${what}, not a regular file`);
};

const checkSize = (size: number, kind: InputKind): void => {
  const { bytesMax } = INPUT_LIMITS[kind];
  if (size > bytesMax)
    throw new InputFileError('TOO_LARGE', kind, `it is larger than ${binaryBytes(bytesMax)}`);
};

/** One byte more than expected, so that the end is found with the last part. */
const partBytes = (left: number): number => Math.min(PART_BYTES, Math.max(left + 1, 4_096));

const READING: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const PART_BYTES = 16 * 1_048_576;
