// A Unix socket stays in the file system when its server was killed, and prevents others from listening there. It is
// removed if nothing accepts connections; anything but a socket, or one that accepts, is left alone.

import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode } from '../core/problem.ts';

/** @throws the system's error if it cannot be removed */
export const removeLeftSocket = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined); // listening reports the problem
  if (found?.isSocket() !== true) return;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (errorCode(error) === 'ECONNREFUSED') await removed(path);
  } finally {
    socket.destroy();
  }
};

/** A removal by another process is fine as well. */
const removed = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};
