// The Unix socket in the home, over which commands of this user reach the daemon: a local process can take every connection of
// the TCP port, but none of these. Its mode is 0600 before it becomes visible.

import { chmod, lstat, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode, shortReason } from '../../core/problem.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { removeIfThere } from '../../process/atomic-file.ts';

export interface OwnerSocket {
  /** Why there is none: the command line then uses TCP alone. */
  readonly path: Reported<string>;
  close(): Promise<void>;
}

interface OwnerSocketOptions {
  /** Absolute; in a folder that only this user can write to. One daemon at a time, by the lock of the home. */
  readonly path: string;
  readonly connectionsMax: number;
  readonly onConnection: (socket: Socket) => void;
}

/** Never throws: without a socket the daemon works as before, and reports the reason. */
export const listenOnOwnerSocket = async (options: OwnerSocketOptions): Promise<OwnerSocket> => {
  const { path, connectionsMax, onConnection } = options;
  const reason = await reasonAgainst(path);
  if (reason !== undefined) return without(reason);
  // The other end may send its last byte before it has read ours, as over TCP.
  const server = createServer({ allowHalfOpen: true }, onConnection);
  server.maxConnections = connectionsMax;
  let folder: string | undefined;
  try {
    // Bound in a folder of mode 0700, since a socket has the mode of the umask until it is changed; the rename also replaces
    // what a daemon left that was killed.
    folder = await mkdtemp(join(dirname(path), SHORT_PREFIX));
    const made = join(folder, 's');
    await listenAt(server, made);
    await chmod(made, 0o600);
    await rename(made, path);
  } catch (error) {
    await closed(server);
    return without(`${path}: ${shortReason(error)}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
  server.on('error', () => undefined);
  return {
    path,
    close: async () => {
      await Promise.all([closed(server), removeIfThere(path)]);
    },
  };
};

/** Undefined where a socket can be made. */
const reasonAgainst = async (path: string): Promise<string | undefined> => {
  if (platform() === 'win32') return 'Windows has no such socket';
  const bytes = Buffer.byteLength(path);
  const max = platform() === 'linux' ? LINUX_PATH_BYTES_MAX : BSD_PATH_BYTES_MAX;
  if (bytes > max) return `its path would have ${bytes} bytes, and the system allows ${max}`;
  try {
    const found = await lstat(path);
    return found.isSocket() ? undefined : `${path} is not a socket`;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : `${path}: ${shortReason(error)}`;
  }
};

const without = (reason: string): OwnerSocket => ({ path: unknown(reason), close: async () => undefined });

const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });

const closed = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
  });

/** With its six random characters no longer than the name of the socket itself, so that the limit is the same. */
const SHORT_PREFIX = 's-';
/** unix(7): 108 with the closing 0. */
const LINUX_PATH_BYTES_MAX = 107;
/** unix(4) of macOS and the BSDs: 104 with the closing 0. */
const BSD_PATH_BYTES_MAX = 103;
