// One data connection of a probe while it is measured. Two engines drive it: threads with blocking sockets, or the event
// loop where those cannot be had.

import type { Socket } from 'node:net';
import type { TcpInfo } from '../../native/socket-abi.ts';

export type StreamJob =
  /** Incompressible bytes, as fast as they are taken, until so many are sent; then it waits to be stopped. */
  | { readonly kind: 'send'; readonly bytesMax: number }
  | { readonly kind: 'receive'; readonly bytesMax: number }
  /** Sends round trips of ROUND_TRIP_BYTES and waits for each to come back. */
  | { readonly kind: 'ping'; readonly count: number }
  /** Gives back what comes. */
  | { readonly kind: 'echo' };

export interface StreamEngine extends AsyncDisposable {
  readonly name: 'socket-ffi' | 'socket-event-loop';
  /** Why it is not the better one; '' where it is. */
  readonly reason: string;
  /** Has so many streams ready to be driven, so that none has to wait for it while time is measured. */
  prepare(streams: number): Promise<void>;
  /** Takes a connection over. Resolves when the stream can be started; the socket is of no use any more. */
  adopt(socket: Socket, job: StreamJob): Promise<Stream>;
}

export interface Stream {
  start(): void;
  /** Moves no more bytes soon after; idempotent. */
  stop(): void;
  /** Handed to the kernel, or received from it, by now. */
  readonly bytes: number;
  /** When the first byte came, on the clock of monotonicNs; undefined before. */
  readonly firstByteNs: bigint | undefined;
  /** When the last byte of those that it may receive came; undefined before. */
  readonly lastByteNs: bigint | undefined;
  /** How it ended, at the latest a fifth of a second after `stop`. Never rejects. */
  readonly ended: Promise<StreamEnding>;
  /** What the kernel tells now; also after the end. */
  tcpInfo(): TcpInfo;
  /** Drops the connection and what it had not sent yet. Call once it has ended. */
  discard(): void;
}

export interface StreamEnding {
  /** '' when it was asked to stop or had done its job. */
  readonly reason: string;
  /** Of `ping`, in order, without those of the warm-up. */
  readonly roundTripsNs: readonly number[];
}

/** Made ready before the first word: one stream, and then two, are tried on any connection. */
export const STREAMS_READY: number = 2;
export const ROUND_TRIP_BYTES: number = 64;
/**
 * Round trips before those that count: at least so many, to warm the connection, and more for as long as that takes no
 * time, to warm the code at both ends. A path with long round trips has no time for many.
 */
export const WARM_UP: { readonly countMin: number; readonly countMax: number; readonly durationMs: number } =
  {
    countMin: 2,
    countMax: 3_000,
    durationMs: 50,
  };
/** Of one call, and of the buffer of random bytes that is sent over and over. */
export const CHUNK_BYTES: number = 1024 * 1024;
