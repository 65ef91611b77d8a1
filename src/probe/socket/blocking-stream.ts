// The loops of a stream's thread. Each call into the kernel waits at most CALL_MS_MAX, and after each the board is
// checked: a thread inside a foreign call cannot be ended from outside.

import { randomBytes } from 'node:crypto';
import { monotonicNs } from '../../clock/system-clock.ts';
import { NOTHING_YET, type PlacedBuffer, type Sockets } from '../../native/sockets.ts';
import { CHUNK_BYTES, EXCHANGE_WARM_UP, ROUND_TRIP_BYTES, type StreamJob, WARM_UP } from './stream.ts';
import type { StreamBoard } from './stream-board.ts';

export const CALL_MS_MAX: number = 100;

interface BlockingStream {
  readonly sockets: Sockets;
  readonly descriptor: number;
  readonly board: StreamBoard;
}

/** Runs a job to its end; returns the times of a ping or an exchange. @throws SocketError when the connection breaks. */
export const runBlocking = (stream: BlockingStream, job: StreamJob): readonly number[] => {
  const bytes =
    job.kind === 'send' || job.kind === 'exchange' ? randomBytes(CHUNK_BYTES) : Buffer.alloc(CHUNK_BYTES);
  const chunk = stream.sockets.withAddress(bytes);
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
    case 'exchange':
      return exchange(stream, chunk, stream.sockets.withAddress(Buffer.alloc(job.bytes)), job);
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

const exchange = (
  stream: BlockingStream,
  own: PlacedBuffer,
  others: PlacedBuffer,
  { bytes, count }: Extract<StreamJob, { kind: 'exchange' }>,
): readonly number[] => {
  const timesNs: number[] = [];
  const warmFromNs = monotonicNs() + BigInt(WARM_UP.durationMs * 1_000_000);
  const warmUpMax = Math.max(EXCHANGE_WARM_UP.countMin, Math.floor(EXCHANGE_WARM_UP.bytesMax / bytes));
  let warmedUp = 0;
  let startedNs = monotonicNs();
  while (timesNs.length < count && exchangeOnce(stream, own, others, bytes)) {
    const doneNs = monotonicNs();
    const isWarm =
      warmedUp >= warmUpMax || (warmedUp >= EXCHANGE_WARM_UP.countMin && startedNs >= warmFromNs);
    if (!isWarm) warmedUp += 1;
    // The end that waits to be stopped keeps none.
    else if (Number.isFinite(count)) timesNs.push(Number(doneNs - startedNs));
    stream.board.bytes += bytes;
    startedNs = doneNs;
  }
  return timesNs;
};

/** False if the stream was stopped, or the other end has closed it. */
const exchangeOnce = (
  { sockets, descriptor, board }: BlockingStream,
  own: PlacedBuffer,
  others: PlacedBuffer,
  bytes: number,
): boolean => {
  let sent = 0;
  let received = 0;
  while (sent < bytes || received < bytes) {
    const sentNow = sent < bytes ? sockets.sendNow(descriptor, own, sent, bytes - sent) : 0;
    if (sentNow > 0) sent += sentNow;
    // Waits where there was no room to send: the other end makes some by sending, or by reading what it has.
    const waits = sentNow === NOTHING_YET || sent === bytes;
    let receivedNow: number = NOTHING_YET;
    if (received < bytes) {
      const take = sent === bytes ? sockets.receiveAll : waits ? sockets.receive : sockets.receiveNow;
      receivedNow = take(descriptor, others, received, bytes - received);
      if (receivedNow === 0) return false;
      if (receivedNow !== NOTHING_YET) received += receivedNow;
    } else if (sent < bytes) {
      const more = sockets.send(descriptor, own, sent, bytes - sent);
      if (more !== NOTHING_YET) sent += more;
    }
    if (board.isStopped) return false;
  }
  return true;
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
