// The addon is loaded when a run first needs it, not by an idle daemon, and never in a worker thread: with a
// socket in one, zeromq 6.8.0 aborted the process with a damaged heap in 7 of 26 floods.

import { isMainThread } from 'node:worker_threads';
import type * as Zeromq from 'zeromq';
import { MessagingError } from '../messaging-error.ts';

/** @throws MessagingError in a worker thread. */
export const loadZeromq = async (): Promise<typeof Zeromq> => {
  if (!isMainThread)
    throw new MessagingError('thread', "ZeroMQ sockets live on a process's main thread only");
  return import('zeromq');
};
