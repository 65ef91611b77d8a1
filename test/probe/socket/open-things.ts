// What this process has open, from /proc: for tests that nothing is left behind.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

interface OpenThings {
  readonly sockets: number;
  readonly threads: number;
  readonly children: readonly number[];
}

/** undefined where there is no /proc. */
export const openThings = (): OpenThings | undefined => {
  if (process.platform !== 'linux') return undefined;
  return {
    sockets: readdirSync('/proc/self/fd').filter(descriptor => isSocket(descriptor)).length,
    threads: readdirSync('/proc/self/task').length,
    children: childPids(),
  };
};

export const childPids = (): readonly number[] =>
  readdirSync('/proc/self/task').flatMap(task => {
    try {
      return readFileSync(`/proc/self/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number);
    } catch {
      return []; // the thread has ended meanwhile
    }
  });

/** Of another process; 0 once it is gone. */
export const socketsOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter(descriptor => isSocket(descriptor, pid)).length;
  } catch {
    return 0;
  }
};

/** Waits for a fact about other processes, which have no event. */
export const untilTrue = async (isTrue: () => boolean): Promise<void> => {
  const limit = AbortSignal.timeout(25_000);
  while (!isTrue()) {
    limit.throwIfAborted();
    await new Promise(resolve => setTimeout(resolve, 5));
  }
};

const isSocket = (descriptor: string, pid: number | 'self' = 'self'): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`).startsWith('socket:');
  } catch {
    return false; // closed meanwhile
  }
};
