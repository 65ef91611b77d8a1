// A child's side of the pipes to its parent. The end-of-file of the first one shows that the parent is gone,
// however it died, because the system closes a dead process's files; before that the parent sends requests on
// it, one word per line. On the second the child writes, one JSON value per line.

import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Env } from './child.ts';

/**
 * Set for a child by startOwnProcess: the numbers of the two pipes, "3,4". A number alone cannot be trusted, since without
 * pipes Node itself has something open there.
 */
export const PARENT_PIPES_VARIABLE = 'PLIMSOLL_PARENT_PIPES';

type ParentWatch =
  | {
      readonly kind: 'watching';
      /** Aborts, with a ParentGoneError, when the parent has died or has closed the pipe. */
      readonly signal: AbortSignal;
      /** A request of the parent: `stop()` and `interrupt()` of its OwnProcess. */
      readonly requested: Readonly<Record<ParentSignal, AbortSignal>>;
      /** Lets the process end while its parent lives. Not needed at exit. */
      close(): void;
    }
  | { readonly kind: 'absent'; readonly reason: string };

export type ParentSignal = 'stop' | 'interrupt';

class ParentGoneError extends Error {
  override readonly name = 'ParentGoneError';
  readonly code = 'parent-gone';
}

/** Call once, at the start of an entry. The watch keeps no process alive. */
export const watchParent = (env: Env): ParentWatch => {
  const [watched] = parentPipes(env);
  if (watched === undefined) return absent('not started by Plimsoll');
  if (!isPipe(watched)) return absent(`file descriptor ${watched} is not a pipe`);
  const controller = new AbortController();
  const socket = new Socket({ fd: watched, readable: true, writable: false });
  const gone = (): void => controller.abort(new ParentGoneError('the parent process is gone'));
  socket.on('error', gone);
  socket.on('close', gone);
  socket.on('end', gone);
  const requested = { stop: new AbortController(), interrupt: new AbortController() };
  let reported = '';
  socket.on('data', bytes => {
    reported = `${reported}${bytes.toString('latin1')}`.slice(-SIGNAL_BYTES_KEPT);
    for (const signal of PARENT_SIGNALS)
      if (reported.includes(`${signal}\n`))
        requested[signal].abort(new Error(`the parent requested: ${signal}`));
  });
  socket.unref();
  return {
    kind: 'watching',
    signal: controller.signal,
    requested: { stop: requested.stop.signal, interrupt: requested.interrupt.signal },
    close: () => {
      socket.off('close', gone);
      socket.destroy();
    },
  };
};

/**
 * Writes to the parent: the first line reports that the child is ready. @returns false if there is no parent
 * to read it.
 */
export const reportParent = (env: Env, message: unknown): boolean => {
  const [, reported] = parentPipes(env);
  if (reported === undefined || !isPipe(reported)) return false;
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  try {
    // Lines are short, and the parent reads: a pipe buffers 64 KiB.
    return writeSync(reported, bytes) === bytes.length;
  } catch {
    return false; // EPIPE: the parent is gone, which the watch reports
  }
};

/**
 * For entries whose end only the parent decides: Ctrl-C, a closed terminal, `timeout` and service managers send their
 * signal to every process of a group, and a child that exited on it would take away what its parent still needs. While
 * the parent lives signals are ignored; without a parent they apply.
 */
export const stopsOf = (
  watch: ParentWatch,
  on: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', received: () => void) => void,
): Readonly<Record<ParentSignal, AbortSignal>> => {
  const stop = new AbortController();
  const interrupt = new AbortController();
  const isAlone = watch.kind === 'absent';
  on('SIGTERM', () => isAlone && stop.abort(new Error('terminated')));
  on('SIGHUP', () => isAlone && stop.abort(new Error('hung up')));
  on('SIGINT', () => isAlone && interrupt.abort(new Error('interrupted')));
  return watch.kind === 'watching' ? watch.requested : { stop: stop.signal, interrupt: interrupt.signal };
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

const PARENT_SIGNALS: readonly ParentSignal[] = ['stop', 'interrupt'];
const SIGNAL_BYTES_KEPT = 64;
