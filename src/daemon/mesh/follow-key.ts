// Follows the file of the cluster key while the daemon runs: a rotated key takes effect at once, and links opened with
// a dropped key are closed. A missing or damaged file changes nothing except its reported problem.

import { type Clock, pause } from '../../clock/clock.ts';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import { type KeyFile, keysIn, readClusterKey } from '../../mesh/key/key-file.ts';
import { FileChanges } from '../../process/file-changes.ts';
import type { Notice } from '../../wire/notice.ts';
import type { Notices } from '../notices.ts';

interface FollowKeyParts {
  readonly path: string;
  readonly clock: Clock;
  readonly notices: Notices;
  /** The keys in effect at the start, the current one first. */
  readonly keys: readonly ClusterKey[];
  /** With other keys than those before. */
  readonly onKeys: (keys: readonly ClusterKey[]) => void;
}

/** What is wrong with the file, while it is. */
export const KEY_NOTICE = 'cluster-key-file';

/** Until the abort; resolves then. */
export const followClusterKey = async (parts: FollowKeyParts, signal: AbortSignal): Promise<void> => {
  const { path, clock, notices, onKeys } = parts;
  const changes = new FileChanges(path, clock, signal);
  using _watching = changes.watch();
  let inForce = idsOf(parts.keys);
  while (!signal.aborted) {
    const file = await readClusterKey(path);
    if (signal.aborted) return;
    const notice = noticeOf(file, path);
    if (notice === undefined) notices.clear(KEY_NOTICE);
    else notices.raise(notice);
    if (file.kind === 'key') {
      for (const notice of file.notices) notices.raise({ ...notice, id: notice.code });
      const keys = keysIn(file);
      if (idsOf(keys) !== inForce) onKeys(keys);
      inForce = idsOf(keys);
    }
    await changes.next(RECHECK_MS);
    await pause(clock, SETTLE_MS, signal);
  }
};

const idsOf = (keys: readonly ClusterKey[]): string => keys.map(({ id }) => id).join(' ');

const noticeOf = (file: KeyFile, path: string): Notice | undefined => {
  switch (file.kind) {
    case 'key':
      return undefined;
    case 'missing':
      return {
        id: KEY_NOTICE,
        code: 'key-file-gone',
        path,
        problem: `${path} is gone.`,
        advice: 'The daemon keeps using the cluster key it has read until it stops.',
      };
    case 'wrong':
      return {
        id: KEY_NOTICE,
        code: 'key-file-wrong',
        path,
        problem: `${file.problem}.`,
        advice: 'Until you fix it, the previous cluster key stays in effect.',
      };
    default:
      return file satisfies never;
  }
};

/** Our own commands replace the file in one step; an editor may take several. */
const SETTLE_MS = 100;
const RECHECK_MS = 5_000;
