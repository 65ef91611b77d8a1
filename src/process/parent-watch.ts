// A child's side of the pipes to its parent. The first one carries nothing: its end-of-file says that the parent is gone,
// however it died, because the system closes what a dead process held. On the second the child speaks, one JSON value a line.

import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Env } from './child.ts';

/**
 * Set for a child by startOwnProcess: the numbers of the two pipes, "3,4". A number alone cannot be trusted, since without
 * pipes Node itself has something open there.
 */
export const PARENT_PIPES_VARIABLE = 'PLIMSOLL_PARENT_PIPES';

export type ParentWatch =
  | {
      readonly kind: 'watching';
      /** Aborts, with a ParentGoneError, when the parent has died or has let go of the pipe. */
      readonly signal: AbortSignal;
      /** Lets the process end while its parent lives. Not needed at exit. */
      close(): void;
    }
  | { readonly kind: 'absent'; readonly reason: string };

export class ParentGoneError extends Error {
  override readonly name = 'ParentGoneError';
  readonly code = 'parent-gone';
}

/** Call once, at the start of an entry. The watch keeps no process alive. */
export const watchParent = (env: Env): ParentWatch => {
  const [watched] = parentPipes(env);
  if (watched === undefined) return absent('not started by Plimsoll');
  if (!isPipe(watched)) return absent(`file descriptor ${watched} is no pipe`);
  const controller = new AbortController();
  const socket = new Socket({ fd: watched, readable: true, writable: false });
  const gone = (): void => controller.abort(new ParentGoneError('the parent process is gone'));
  socket.on('error', gone);
  socket.on('close', gone);
  socket.on('end', gone);
  socket.resume();
  socket.unref();
  return {
    kind: 'watching',
    signal: controller.signal,
    close: () => {
      socket.off('close', gone);
      socket.destroy();
    },
  };
};

/**
 * Says something to the parent: the first line is that the child is ready.
 * @returns false when there is no parent to hear it.
 */
export const tellParent = (env: Env, message: unknown): boolean => {
  const [, told] = parentPipes(env);
  if (told === undefined || !isPipe(told)) return false;
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  try {
    // Lines are short, and the parent reads: a pipe holds 64 KiB.
    return writeSync(told, bytes) === bytes.length;
  } catch {
    return false; // EPIPE: the parent is gone, which the watch tells
  }
};

const absent = (reason: string): ParentWatch => ({ kind: 'absent', reason });

const parentPipes = (env: Env): readonly number[] => {
  const text = env[PARENT_PIPES_VARIABLE];
  return text !== undefined && /^\d{1,3},\d{1,3}$/.test(text) ? text.split(',').map(Number) : [];
};

const isPipe = (descriptor: number): boolean => {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
};
