// The folder for the sockets of one run: new, private to its owner, with a path short enough for an address
// of a Unix socket (108 bytes on Linux, unix(7); 104 on macOS, sys/un.h; a zero ends it).

import { chmod, mkdtemp, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface SocketFolder extends AsyncDisposable {
  readonly path: string;
  /** An ipc:// endpoint in this folder. @throws RangeError for a name that would make its path too long. */
  endpoint(name: string): string;
  /** Idempotent. */
  remove(): Promise<void>;
}

/** In `temporaryFolder` if its path is short enough, else in /tmp. */
export const openSocketFolder = async (temporaryFolder: string): Promise<SocketFolder> => {
  const isShort = Buffer.byteLength(join(temporaryFolder, PREFIX)) + RANDOM_BYTES <= FOLDER_BYTES_MAX;
  const path = await mkdtemp(join(isShort ? temporaryFolder : SHORT_FOLDER, PREFIX));
  await chmod(path, 0o700); // mkdtemp's own mode, to be sure
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  return {
    path,
    endpoint: name => {
      const file = join(path, name);
      if (Buffer.byteLength(file) > SOCKET_PATH_BYTES_MAX) {
        throw new RangeError(`the path of a socket is at most ${SOCKET_PATH_BYTES_MAX} bytes: ${file}`);
      }
      return `ipc://${file}`;
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
};

/**
 * For a child whose parent was killed and could not clean up: removes the sockets next to this ipc://
 * endpoint, and their folder if nothing else is in it. Touches no other file or folder. Never rejects.
 */
export const removeOtherSockets = async (endpoint: string): Promise<void> => {
  if (!endpoint.startsWith('ipc://')) return;
  const folder = dirname(endpoint.slice('ipc://'.length));
  if (!basename(folder).startsWith(PREFIX)) return;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sockets = entries.filter(entry => entry.isSocket());
  await Promise.allSettled(sockets.map(({ name }) => unlink(join(folder, name))));
  await rmdir(folder).catch(() => undefined);
};

const PREFIX = 'plimsoll-';
/** The length of mkdtemp's suffix. */
const RANDOM_BYTES = 6;
const SOCKET_PATH_BYTES_MAX = 103;
/** Leaves 24 bytes for a slash and a name. */
const FOLDER_BYTES_MAX: number = SOCKET_PATH_BYTES_MAX - 24;
const SHORT_FOLDER = '/tmp';
