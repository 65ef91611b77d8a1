// <home>/daemon.json: how the command line finds the daemon of this home. Written when the daemon listens, 0600 because
// of the token, removed when it stops; what a killed daemon leaves behind is recognised by its process being gone.

import { readFile } from 'node:fs/promises';
import { errorCode, shortReason } from '../core/problem.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';

export interface DaemonFile {
  /** "http://127.0.0.1:4180", without a path. */
  readonly url: string;
  /** For `Authorization: Bearer`. */
  readonly token: string;
  readonly pid: number;
  readonly startedAtWallMs: number;
  readonly nodeId: string;
  readonly version: string;
}

export type DaemonFileResult =
  | { readonly kind: 'found'; readonly file: DaemonFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export const writeDaemonFile = (path: string, file: DaemonFile): Promise<void> =>
  writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`);

/** Never throws: a file that cannot be read or trusted is said to be unreadable. */
export const readDaemonFile = async (path: string): Promise<DaemonFileResult> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', reason: `${path}: ${shortReason(error)}` };
  }
  const file = parseDaemonFile(text);
  return file === undefined
    ? { kind: 'unreadable', reason: `${path} is not what a daemon of this version writes` }
    : { kind: 'found', file };
};

const parseDaemonFile = (text: string): DaemonFile | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { url, token, pid, startedAtWallMs, nodeId, version } = { ...EMPTY, ...value };
  if (typeof url !== 'string' || !URL.canParse(url) || !url.startsWith('http://')) return undefined;
  if (typeof token !== 'string' || typeof nodeId !== 'string' || typeof version !== 'string')
    return undefined;
  if (!isPid(pid) || typeof startedAtWallMs !== 'number') return undefined;
  return { url: new URL(url).origin, token, pid, startedAtWallMs, nodeId, version };
};

/** 0 and below name groups of processes. */
const isPid = (pid: unknown): pid is number =>
  typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;

const EMPTY: { readonly [K in keyof DaemonFile]: unknown } = {
  url: undefined,
  token: undefined,
  pid: undefined,
  startedAtWallMs: undefined,
  nodeId: undefined,
  version: undefined,
};
