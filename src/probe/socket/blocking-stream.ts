// The loops of a stream's thread. Each call into the kernel waits at most CALL_MS_MAX, and after each the board is looked
// at: a thread inside a foreign call cannot be ended from outside.

import { randomBytes } from 'node:crypto';
import { monotonicNs } from '../../clock/monotonic-ns.ts';
import type { Sockets } from '../../native/sockets.ts';
import { NOTHING_YET } from '../../native/sockets.ts';
import type { StreamJob } from './stream.ts';
import { CHUNK_BYTES, ROUND_TRIP_BYTES } from './stream.ts';
import type { StreamBoard } from './stream-board.ts';

export const CALL_MS_MAX: number = 100;

export interface BlockingStream {
  readonly sockets: Sockets;
  readonly descriptor: number;
  readonly board: StreamBoard;
}

/** Runs a job to its end; gives the round trips of a ping. @throws SocketError when the connection breaks. */
export const runBlocking = (stream: BlockingStream, job: StreamJob): readonly number[] => {
  const chunk = job.kind === 'send' ? randomBytes(CHUNK_BYTES) : Buffer.alloc(CHUNK_BYTES);
  stream.board.waitForStart();
  switch (job.kind) {
    case 'send':
      send(stream, chunk, job.bytesMax);
      return [];
    case 'receive':
      receive(stream, chunk, job.bytesMax);
      return [];
    case 'echo':
      echo(stream, chunk.subarray(0, ROUND_TRIP_BYTES));
      return [];
    case 'ping':
      return ping(stream, chunk.subarray(0, ROUND_TRIP_BYTES), job);
    default:
      return job satisfies never;
  }
};

const send = ({ sockets, descriptor, board }: BlockingStream, chunk: Buffer, bytesMax: number): void => {
  let bytes = 0;
  while (!board.isStopped && bytes < bytesMax) {
    const left = bytesMax - bytes;
    const sent = sockets.send(descriptor, left < chunk.length ? chunk.subarray(0, left) : chunk);
    if (sent === NOTHING_YET) continue;
    bytes += sent;
    board.bytes = bytes;
  }
};

const receive = ({ sockets, descriptor, board }: BlockingStream, chunk: Buffer, bytesMax: number): void => {
  let bytes = 0;
  while (!board.isStopped && bytes < bytesMax) {
    const received = sockets.receive(descriptor, chunk);
    if (received === NOTHING_YET) continue;
    if (received === 0) throw new Error('the other end closed the connection');
    if (bytes === 0) board.firstByteNs = monotonicNs();
    bytes += received;
    board.bytes = bytes;
  }
  if (bytes >= bytesMax) board.lastByteNs = monotonicNs();
};

const echo = (stream: BlockingStream, message: Buffer): void => {
  let bytes = 0;
  while (receiveMessage(stream, message) && sendMessage(stream, message)) {
    bytes += message.length;
    stream.board.bytes = bytes;
  }
};

const ping = (
  stream: BlockingStream,
  message: Buffer,
  { warmUpCount, count }: { readonly warmUpCount: number; readonly count: number },
): readonly number[] => {
  const roundTripsNs = new Array<number>(count).fill(0);
  let done = -warmUpCount;
  for (; done < count; done += 1) {
    const sentNs = monotonicNs();
    if (!sendMessage(stream, message) || !receiveMessage(stream, message)) break;
    const roundTripNs = Number(monotonicNs() - sentNs);
    if (done < 0) continue;
    roundTripsNs[done] = roundTripNs;
    stream.board.bytes = (done + 1) * message.length;
  }
  return roundTripsNs.slice(0, Math.max(0, done));
};

/** False when the stream was stopped in between. */
const sendMessage = ({ sockets, descriptor, board }: BlockingStream, message: Buffer): boolean => {
  for (let at = 0; at < message.length; ) {
    const sent = sockets.send(descriptor, at === 0 ? message : message.subarray(at));
    if (sent !== NOTHING_YET) at += sent;
    else if (board.isStopped) return false;
  }
  return true;
};

/** False when the stream was stopped, or the other end has closed it. */
const receiveMessage = ({ sockets, descriptor, board }: BlockingStream, message: Buffer): boolean => {
  for (let at = 0; at < message.length; ) {
    const received = sockets.receiveAll(descriptor, at === 0 ? message : message.subarray(at));
    if (received === 0) return false;
    if (received !== NOTHING_YET) at += received;
    else if (board.isStopped) return false;
  }
  return true;
};
