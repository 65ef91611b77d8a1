// The loops of a stream's thread. Each call into the kernel waits at most CALL_MS_MAX, and after each the board is
// checked: a thread inside a foreign call cannot be ended from outside.

import { randomBytes } from 'node:crypto';
import { monotonicNs } from '../../clock/monotonic-ns.ts';
import type { PlacedBuffer, Sockets } from '../../native/sockets.ts';
import { NOTHING_YET } from '../../native/sockets.ts';
import type { StreamJob } from './stream.ts';
import { CHUNK_BYTES, ROUND_TRIP_BYTES, WARM_UP } from './stream.ts';
import type { StreamBoard } from './stream-board.ts';

export const CALL_MS_MAX: number = 100;

export interface BlockingStream {
  readonly sockets: Sockets;
  readonly descriptor: number;
  readonly board: StreamBoard;
}

/** Runs a job to its end; returns the round trips of a ping. @throws SocketError when the connection breaks. */
export const runBlocking = (stream: BlockingStream, job: StreamJob): readonly number[] => {
  const bytes = job.kind === 'send' ? randomBytes(CHUNK_BYTES) : Buffer.alloc(CHUNK_BYTES);
  const chunk = stream.sockets.place(bytes);
  stream.board.waitForStart();
  switch (job.kind) {
    case 'send':
      send(stream, chunk, job.bytesMax);
      return [];
    case 'receive':
      receive(stream, chunk, job.bytesMax);
      return [];
    case 'echo':
      echo(stream, chunk);
      return [];
    case 'ping':
      return ping(stream, chunk, job.count);
    default:
      return job satisfies never;
  }
};

const send = (
  { sockets, descriptor, board }: BlockingStream,
  chunk: PlacedBuffer,
  bytesMax: number,
): void => {
  let bytes = 0;
  while (!board.isStopped && bytes < bytesMax) {
    const sent = sockets.send(descriptor, chunk, 0, Math.min(CHUNK_BYTES, bytesMax - bytes));
    if (sent === NOTHING_YET) continue;
    bytes += sent;
    board.bytes = bytes;
  }
};

const receive = (
  { sockets, descriptor, board }: BlockingStream,
  chunk: PlacedBuffer,
  bytesMax: number,
): void => {
  let bytes = 0;
  while (!board.isStopped && bytes < bytesMax) {
    const received = sockets.receive(descriptor, chunk, 0, CHUNK_BYTES);
    if (received === NOTHING_YET) continue;
    if (received === 0) throw new Error('the other end closed the connection');
    if (bytes === 0) board.firstByteNs = monotonicNs();
    bytes += received;
    board.bytes = bytes;
  }
  if (bytes >= bytesMax) board.lastByteNs = monotonicNs();
};

const echo = (stream: BlockingStream, message: PlacedBuffer): void => {
  // Nothing is counted here: the other end waits.
  while (receiveMessage(stream, message) && sendMessage(stream, message));
};

const ping = (stream: BlockingStream, message: PlacedBuffer, count: number): readonly number[] => {
  const roundTripsNs = new Array<number>(count).fill(0);
  const warmFromNs = monotonicNs() + BigInt(WARM_UP.durationMs * 1_000_000);
  let warmedUp = 0;
  let done = 0;
  while (done < count) {
    const sentNs = monotonicNs();
    if (!sendMessage(stream, message) || !receiveMessage(stream, message)) break;
    const backNs = monotonicNs();
    const isWarm = warmedUp >= WARM_UP.countMax || (warmedUp >= WARM_UP.countMin && sentNs >= warmFromNs);
    if (isWarm) {
      roundTripsNs[done] = Number(backNs - sentNs);
      done += 1;
    } else warmedUp += 1;
    stream.board.bytes = (warmedUp + done) * ROUND_TRIP_BYTES;
  }
  return roundTripsNs.slice(0, done);
};

/** False if the stream was stopped in between. */
const sendMessage = ({ sockets, descriptor, board }: BlockingStream, message: PlacedBuffer): boolean => {
  for (let at = 0; at < ROUND_TRIP_BYTES; ) {
    const sent = sockets.send(descriptor, message, at, ROUND_TRIP_BYTES - at);
    if (sent !== NOTHING_YET) at += sent;
    else if (board.isStopped) return false;
  }
  return true;
};

/** False if the stream was stopped, or the other end has closed it. */
const receiveMessage = ({ sockets, descriptor, board }: BlockingStream, message: PlacedBuffer): boolean => {
  for (let at = 0; at < ROUND_TRIP_BYTES; ) {
    const received = sockets.receiveAll(descriptor, message, at, ROUND_TRIP_BYTES - at);
    if (received === 0) return false;
    if (received !== NOTHING_YET) at += received;
    else if (board.isStopped) return false;
  }
  return true;
};
