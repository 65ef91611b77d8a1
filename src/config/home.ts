// The folder in which a node keeps its identity, journal, settings and secrets. It must belong to one person: anyone
// who can write to it can act as this node.

import type { Stats } from 'node:fs';
import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { platform, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorCode, errorMessage, type Problem, ProblemError, shortReason } from '../core/problem.ts';
import { shellCommand } from '../core/text/shell-words.ts';

interface HomeFiles {
  readonly config: string;
  /** The text of the last valid config.toml. */
  readonly lastGoodConfig: string;
  /** Where the running daemon listens, and its token: written by the daemon, read by the CLI. */
  readonly daemon: string;
  /** A Unix socket on which the running daemon listens for commands of this user. */
  readonly socket: string;
}

export const homeFiles = (home: string): HomeFiles => ({
  config: join(home, 'config.toml'),
  lastGoodConfig: join(home, 'config.last-good.toml'),
  daemon: join(home, 'daemon.json'),
  socket: join(home, 'daemon.sock'),
});

interface HomeSources {
  /** The value of --home, if it was given. */
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Of the user. */
  readonly homeDirectory: string;
}

/** --home, else PLIMSOLL_HOME, else ~/.plimsoll; absolute. An empty variable counts as unset. */
export const resolveHome = ({ option, env, cwd, homeDirectory }: HomeSources): string => {
  const named = option ?? (env['PLIMSOLL_HOME'] === '' ? undefined : env['PLIMSOLL_HOME']);
  return named === undefined ? resolve(cwd, homeDirectory, '.plimsoll') : resolve(cwd, named);
};

export interface Home {
  readonly path: string;
  /** What was fixed on the way, or could not be. */
  readonly notices: readonly HomeNotice[];
}

type HomeProblem = Problem<
  'not-a-folder' | 'not-writable' | 'read-only' | 'not-private' | 'of-another-user' | 'unusable',
  { readonly path: string }
>;

export type HomeNotice = Problem<'home-was-open' | 'home-stays-open', { readonly path: string }>;

export class HomeError extends ProblemError<HomeProblem> {
  override readonly name = 'HomeError';
}

/**
 * Creates the home (0700) if it is missing, otherwise checks it. @throws HomeError if it is not a folder, cannot be
 * written, anybody on the machine can write to it, or root would use the home of another user, who could replace what is
 * in it and could not read what root writes there.
 */
export const openHome = async (
  path: string,
  { isRoot = isOwnUserRoot() }: { readonly isRoot?: boolean } = {},
): Promise<Home> => {
  const info = await folderAt(path);
  if (!info.isDirectory()) throw notAFolder(path);
  if (isRoot && info.uid !== ROOT_USER_ID) throw ofAnotherUser(path, info.uid);
  const hasModes = platform() !== 'win32'; // Windows keeps access elsewhere and shows 0666 for everything
  if (hasModes && (info.mode & WORLD_WRITABLE) !== 0) {
    throw new HomeError({
      code: 'not-private',
      path,
      problem: `Any user of this machine can write to the home ${path}.`,
      advice: `Check its contents, then run: ${shellCommand`chmod 700 ${path}`}`,
    });
  }
  await checkWritable(path);
  if (!hasModes || (info.mode & OTHERS) === 0) return { path, notices: [] };
  try {
    await chmod(path, HOME_MODE);
  } catch (error) {
    const problem = `Other users can read the home ${path}, and its mode could not be changed (${shortReason(error)}).`;
    return { path, notices: [{ code: 'home-stays-open', path, problem, advice: '' }] };
  }
  const problem = `Other users could read the home ${path}: its mode is now 0700.`;
  return { path, notices: [{ code: 'home-was-open', path, problem, advice: '' }] };
};

const isOwnUserRoot = (): boolean => {
  try {
    return userInfo().uid === ROOT_USER_ID;
  } catch {
    return false; // a number without a name, as in some containers
  }
};

const folderAt = async (path: string): Promise<Stats> => {
  try {
    await makeFolder(path);
    return await stat(path);
  } catch (error) {
    throw creationError(path, error);
  }
};

/** Not mkdir's `recursive`: on a file system that refuses new folders with ENOENT, such as /proc, that never returns. */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: HOME_MODE });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isThere(parent))) throw error;
    await makeFolder(parent);
    await makeFolder(path);
  }
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
};

const checkWritable = async (path: string): Promise<void> => {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (errorCode(error) === 'EROFS') throw readOnly(path, error);
    throw notWritable(path, error);
  }
};

const creationError = (path: string, error: unknown): HomeError => {
  switch (errorCode(error)) {
    case 'ENOTDIR':
      return notAFolder(path, error);
    case 'EROFS':
      return readOnly(path, error);
    case 'EACCES':
    case 'EPERM':
      return notWritable(path, error);
    default:
      return new HomeError(
        {
          code: 'unusable',
          path,
          problem: `The home ${path} cannot be created: ${errorMessage(error)}.`,
          advice: 'Choose another folder with --home DIR.',
        },
        { cause: error },
      );
  }
};

const notAFolder = (path: string, cause?: unknown): HomeError =>
  new HomeError(
    {
      code: 'not-a-folder',
      path,
      problem: `The home ${path} is not a folder.`,
      advice: 'Move away the file with that name, or choose another folder with --home DIR.',
    },
    { cause },
  );

const readOnly = (path: string, cause: unknown): HomeError =>
  new HomeError(
    {
      code: 'read-only',
      path,
      problem: `The home ${path} is on a read-only file system.`,
      advice: 'Choose a writable folder with --home DIR.',
    },
    { cause },
  );

const ofAnotherUser = (path: string, owner: number): HomeError =>
  new HomeError({
    code: 'of-another-user',
    path,
    problem: `The home ${path} belongs to the user ${owner}, and this is root.`,
    advice: `Run it as that user, without sudo; or choose another folder with --home DIR; or give it to root: ${shellCommand`chown -R root ${path}`}`,
  });

const notWritable = (path: string, cause: unknown): HomeError =>
  new HomeError(
    {
      code: 'not-writable',
      path,
      problem: `This user cannot write to the home ${path}.`,
      advice: 'Change its owner, or choose another folder with --home DIR.',
    },
    { cause },
  );

const ROOT_USER_ID = 0;
const HOME_MODE = 0o700;
const WORLD_WRITABLE = 0o002;
const OTHERS = 0o077;
