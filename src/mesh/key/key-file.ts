// The cluster key in a home: a file that only its owner can read, written completely or not at all. A second
// line is the previous key, while a cluster changes from one to the other.

import { chmod } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { errorCode, type Problem, shortReason } from '../../core/problem.ts';
import { createFileAtomic, writeFileAtomic } from '../../process/atomic-file.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { openInputFile } from '../../process/input-file.ts';
import { type ClusterKey, clusterKeyText, parseClusterKey } from './cluster-key.ts';

const CLUSTER_KEY_FILE = 'cluster-key';

export type KeyFile =
  | {
      readonly kind: 'key';
      /** The current key. */
      readonly key: ClusterKey;
      /** While a cluster changes its key: the previous one, which is still accepted. */
      readonly former?: ClusterKey;
      readonly notices: readonly KeyNotice[];
    }
  | { readonly kind: 'missing' }
  /** One sentence, with the path. */
  | { readonly kind: 'wrong'; readonly problem: string };

type KeyNotice = Problem<'key-was-readable' | 'key-stays-readable', { readonly path: string }>;

export const clusterKeyPath = (home: string): string => join(home, CLUSTER_KEY_FILE);

/** Never throws. A file that others could read is made private, and a notice reports it. */
export const readClusterKey = async (path: string): Promise<KeyFile> => {
  let text: string;
  let mode: number;
  try {
    await using file = await openInputFile(path, 'secret');
    ({ mode } = await file.stat());
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_BYTES_MAX + 1), 0, FILE_BYTES_MAX + 1, 0);
    text = buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'wrong', problem: `${path} cannot be read (${fileReason(error)})` };
  }
  const [first = '', second, third] = text.split('\n').filter(line => line.trim() !== '');
  const current = parseClusterKey(first);
  if (current.kind === 'wrong')
    return { kind: 'wrong', problem: `${path} has no cluster key: ${current.problem}` };
  const former = second === undefined ? undefined : parseClusterKey(second);
  if (former?.kind === 'wrong')
    return { kind: 'wrong', problem: `${path} has no cluster key in its second line: ${former.problem}` };
  if (third !== undefined)
    return {
      kind: 'wrong',
      problem: `${path} has more than two lines; a key file has one key or two`,
    };
  const notices = await closeToOthers(path, mode);
  return former === undefined || former.key.id === current.key.id
    ? { kind: 'key', key: current.key, notices }
    : { kind: 'key', key: current.key, former: former.key, notices };
};

/** The keys that a node accepts, the current one first. */
export const keysIn = ({ key, former }: Extract<KeyFile, { kind: 'key' }>): readonly ClusterKey[] =>
  former === undefined ? [key] : [key, former];

/**
 * @param former is accepted as well, until the file is written without it.
 * @returns false when a key is there already; it is left as it is.
 */
export const createClusterKeyFile = (path: string, key: ClusterKey, former?: ClusterKey): Promise<boolean> =>
  createFileAtomic(path, keyLines(key, former));

/** As `createClusterKeyFile`, but replaces an existing file. */
export const replaceClusterKeyFile = (path: string, key: ClusterKey, former?: ClusterKey): Promise<void> =>
  writeFileAtomic(path, keyLines(key, former));

const keyLines = (key: ClusterKey, former: ClusterKey | undefined): string =>
  [key, ...(former === undefined ? [] : [former])].map(one => `${clusterKeyText(one)}\n`).join('');

const closeToOthers = async (path: string, mode: number): Promise<readonly KeyNotice[]> => {
  if (platform() === 'win32' || (mode & OTHERS) === 0) return [];
  try {
    await chmod(path, 0o600);
  } catch (error) {
    // A secret that Kubernetes mounts, or that root lends to a service: another user's file, open to one group for reading.
    if ((mode & OTHERS) === MAY_READ_BY_GROUP && LENT_CODES.has(errorCode(error) ?? '')) return [];
    const problem = `Other users can read ${path}, and its mode could not be changed (${shortReason(error)}).`;
    return [{ code: 'key-stays-readable', path, problem, advice: '' }];
  }
  const problem = `Other users could read ${path}: its mode is now 0600.`;
  return [{ code: 'key-was-readable', path, problem, advice: 'Anyone who has read it is still a member.' }];
};

const FILE_BYTES_MAX = 1_024;
const OTHERS = 0o077;
const MAY_READ_BY_GROUP = 0o040;
const LENT_CODES: ReadonlySet<string> = new Set(['EPERM', 'EROFS']);
