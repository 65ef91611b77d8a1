// The epoll descriptor of the calling thread's Node loop. Node does not report it, so a pipe is watched through Node, and
// the kernel reports which epoll watches that pipe (/proc/self/fdinfo, proc(5)).

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import type { KernelIo } from '../../native/kernel-io.ts';

/** undefined if /proc does not show it. */
export const nodeLoopDescriptor = async (io: KernelIo): Promise<number | undefined> => {
  const { readEnd, writeEnd } = io.pipe();
  const socket = new net.Socket({ fd: readEnd, writable: false });
  try {
    socket.resume();
    // Node starts to watch it with its next poll.
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>(resolve => setImmediate(resolve));
    return readdirSync('/proc/self/fd')
      .map(Number)
      .find(fd => isWatching(fd, readEnd));
  } catch {
    return undefined;
  } finally {
    socket.destroy();
    io.close(writeEnd);
  }
};

const isWatching = (fd: number, watched: number): boolean => {
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`) !== 'anon_inode:[eventpoll]') return false;
    return new RegExp(`^tfd:\\s+${watched}\\s`, 'm').test(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
  } catch {
    // Other threads open and close descriptors meanwhile.
    return false;
  }
};

const TURNS = 2;
