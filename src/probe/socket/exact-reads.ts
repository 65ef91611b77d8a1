// Exact numbers of bytes from a socket, for a handshake whose every part has a known length.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ProbeError, shortReason } from './probe-error.ts';

/**
 * The next so many bytes.
 * @throws ProbeError `closed` when the stream ends before, `timeout` when the signal aborts.
 */
export const readExactly = async (socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> => {
  while (true) {
    const chunk: unknown = socket.read(count);
    if (chunk instanceof Buffer && chunk.length === count) return chunk;
    if (chunk !== null || socket.readableEnded || socket.destroyed) {
      throw new ProbeError('closed', `the other end closed the connection${causeOf(socket)}`);
    }
    await nextChange(socket, signal);
  }
};

/** Until there may be more to read, or nothing any more. */
const nextChange = async (socket: Socket, signal: AbortSignal): Promise<void> => {
  const done = new AbortController();
  try {
    await Promise.race(
      ['readable', 'end', 'close'].map(name =>
        once(socket, name, { signal: AbortSignal.any([signal, done.signal]) }),
      ),
    );
  } catch (error) {
    if (signal.aborted) throw new ProbeError('timeout', 'the other end does not answer', { cause: error });
    // 'error': the next read finds the socket destroyed.
  } finally {
    done.abort();
  }
};

const causeOf = (socket: Socket): string =>
  socket.errored === null ? '' : ` (${shortReason(socket.errored)})`;
