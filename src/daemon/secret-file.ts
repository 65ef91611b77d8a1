// A secret of the home: a small file that nobody else can read. What others can read is rejected, not repaired: somebody may have
// read it already, and only a person can decide whether that matters.

import { platform } from 'node:os';
import { errorCode, shortReason } from '../core/problem.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import { InputFileError, openInputFile } from '../process/input-file.ts';
import { DaemonError } from './daemon-error.ts';

export interface SecretFileAdvice {
  /** If it cannot be read. */
  readonly unreadable: string;
  /** What to do if somebody may have read it. */
  readonly exposed: string;
}

/** Its text; undefined if there is no such file. @throws DaemonError `home-unusable` if it is no secret or cannot be read. */
export const readSecretFile = async (path: string, advice: SecretFileAdvice): Promise<string | undefined> => {
  const read = await textAndMode(path, advice);
  if (read === undefined) return undefined;
  // Windows keeps access elsewhere, and shows 0666 for everything.
  if (platform() === 'win32' || (read.mode & OTHERS) === 0) return read.text;
  throw new DaemonError({
    code: 'home-unusable',
    problem: `Other users can read ${path}: its mode is 0${(read.mode & 0o777).toString(8)}.`,
    advice: `${advice.exposed} If nobody else uses this machine: ${shellCommand`chmod 600 ${path}`}`,
  });
};

const textAndMode = async (
  path: string,
  { unreadable }: SecretFileAdvice,
): Promise<{ readonly text: string; readonly mode: number } | undefined> => {
  try {
    await using file = await openInputFile(path, 'secret');
    const info = await file.stat();
    if (info.size > FILE_BYTES_MAX) throw unusable(path, `has more than ${FILE_BYTES_MAX} bytes`, unreadable);
    return { text: await file.readFile('utf8'), mode: info.mode };
  } catch (error) {
    if (error instanceof DaemonError) throw error;
    if (error instanceof InputFileError) throw unusable(path, 'is not a file', unreadable);
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read (${shortReason(error)})`, unreadable, error);
  }
};

const unusable = (path: string, what: string, advice: string, cause?: unknown): DaemonError =>
  new DaemonError({ code: 'home-unusable', problem: `${path} ${what}.`, advice }, { cause });

/** More than a key or a token has. */
const FILE_BYTES_MAX = 4_096;
const OTHERS = 0o077;
