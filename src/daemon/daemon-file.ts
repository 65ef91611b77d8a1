// <home>/daemon.json: how the command line finds the daemon of this home. Written when the daemon listens, 0600 because
// of the token, removed when it stops; the file of a killed daemon is recognized because its process is gone.

import * as v from 'valibot';
import type { NodeId } from '../core/ids.ts';
import { errorCode } from '../core/problem.ts';
import { nodeIdSchema, reported } from '../core/schema.ts';
import type { Reported } from '../core/unknown.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { fileReason } from '../process/disk-reason.ts';
import { readInputText } from '../process/input-file.ts';

export interface DaemonFile {
  /** "http://127.0.0.1:4180", without a path. */
  readonly url: string;
  /** The Unix socket on which it also listens; commands use it first. */
  readonly socket: Reported<string>;
  /** For `Authorization: Bearer`. */
  readonly token: string;
  readonly pid: number;
  readonly startedAtWallMs: Reported<number>;
  readonly nodeId: NodeId;
  readonly version: Reported<string>;
}

type DaemonFileResult =
  | { readonly kind: 'found'; readonly file: DaemonFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export const writeDaemonFile = (path: string, file: DaemonFile): Promise<void> =>
  writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`);

/** Never throws: a file that cannot be read or trusted is reported as unreadable. */
export const readDaemonFile = async (path: string): Promise<DaemonFileResult> => {
  let text: string;
  try {
    text = await readInputText(path, 'homeFile');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', reason: `${path}: ${fileReason(error)}` };
  }
  const file = parseDaemonFile(text);
  return file === undefined
    ? { kind: 'unreadable', reason: `${path} was not written by a daemon of this version` }
    : { kind: 'found', file };
};

const parseDaemonFile = (text: string): DaemonFile | undefined => {
  try {
    const result = v.safeParse(DAEMON_FILE, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
};

const DAEMON_FILE: v.GenericSchema<unknown, DaemonFile> = v.object({
  url: v.pipe(
    v.string(),
    v.startsWith('http://'),
    v.url(),
    v.transform(url => new URL(url).origin),
  ),
  socket: reported(v.string()),
  token: v.string(),
  // 0 and negative numbers are process groups.
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  startedAtWallMs: reported(v.number()),
  nodeId: nodeIdSchema,
  version: reported(v.string()),
});
