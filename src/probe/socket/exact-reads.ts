// Exact numbers of bytes from a socket, for a handshake whose every part has a known length.

import type { Socket } from 'node:net';
import { shortReason } from '../../core/problem.ts';
import { ProbeError } from './probe-error.ts';

/**
 * The next so many bytes; the socket is paused afterwards, and what came beyond them is still to be read.
 * @throws ProbeError `closed` when the stream ends before, `timeout` when the signal aborts.
 */
export const readExactly = (socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // By 'data' rather than 'readable', which comes again and again while there are fewer bytes than asked for.
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (finish: () => void): void => {
      socket.off('data', take).off('end', end).off('close', end);
      signal.removeEventListener('abort', late);
      socket.pause();
      finish();
    };
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < count) return;
      settle(() => {
        if (bytes.length > count) socket.unshift(bytes.subarray(count));
        resolve(bytes.subarray(0, count));
      });
    };
    const end = (): void => settle(() => reject(closed(socket)));
    const late = (): void => settle(() => reject(new ProbeError('timeout', 'the other end does not answer')));
    if (socket.destroyed || socket.readableEnded) return reject(closed(socket));
    if (signal.aborted) return late();
    socket.on('data', take).on('end', end).on('close', end);
    signal.addEventListener('abort', late, { once: true });
    socket.resume();
  });

const closed = (socket: Socket): ProbeError => {
  const cause = socket.errored === null ? '' : ` (${shortReason(socket.errored)})`;
  return new ProbeError('closed', `the other end closed the connection${cause}`);
};
