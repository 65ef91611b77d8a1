// A Unix socket stays in the file system when its server was killed, and nobody can listen there again. It is taken away where
// nobody answers; what is no socket, or answers, is left alone.

import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode } from '../core/problem.ts';

/** @throws the system's error where it cannot be taken away */
export const removeLeftSocket = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined); // listening says what is wrong
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

/** That somebody else took it away is as well. */
const removed = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};
