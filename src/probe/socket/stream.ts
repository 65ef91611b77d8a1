// One data connection of a probe while it is measured. Two engines drive it: threads with blocking sockets, or the
// event loop if those are unavailable.

import type { Socket } from 'node:net';
import type { TcpInfo } from '../../native/socket-abi.ts';

export type StreamJob =
  /** Sends this many incompressible bytes, as fast as they are taken; then waits to be stopped. */
  | { readonly kind: 'send'; readonly bytesMax: number }
  | { readonly kind: 'receive'; readonly bytesMax: number }
  /** Sends round trips of ROUND_TRIP_BYTES and waits for each to come back. */
  | { readonly kind: 'ping'; readonly count: number }
  /** Both ends send `bytes` at once and receive as many, one exchange after another; at most a chunk. */
  | { readonly kind: 'exchange'; readonly bytes: number; readonly count: number }
  /** Echoes what arrives. */
  | { readonly kind: 'echo' };

export interface StreamEngine extends AsyncDisposable {
  readonly name: 'socket-ffi' | 'socket-event-loop';
  /** Why it is not the better one; '' if it is. */
  readonly reason: string;
  /** Prepares this many streams, so none has to wait while time is measured. */
  prepare(streams: number): Promise<void>;
  /** Takes a connection over. Resolves when the stream can be started; the socket can no longer be used. */
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
  /** When the last of the bytes that it may receive arrived; undefined before. */
  readonly lastByteNs: bigint | undefined;
  /** How it ended, at the latest a fifth of a second after `stop`. Never rejects. */
  readonly ended: Promise<StreamEnding>;
  /** The kernel's current figures; also after the end. */
  tcpInfo(): TcpInfo;
  /** Drops the connection and unsent data. Call once it has ended. */
  discard(): void;
}

export interface StreamEnding {
  /** '' if it was asked to stop or had done its job. */
  readonly reason: string;
  /** For `ping` and `exchange`, in order, without those of the warm-up. */
  readonly roundTripsNs: readonly number[];
}

/** Prepared in advance: one stream, and then two, are tried on any connection. */
export const STREAMS_READY: number = 2;
export const ROUND_TRIP_BYTES: number = 64;
/**
 * Warm-up round trips: a minimum for the connection, and more while they take almost no time, to warm the code at both
 * ends. A path with long round trips has no time for many.
 */
export const WARM_UP: { readonly countMin: number; readonly countMax: number; readonly durationMs: number } =
  {
    countMin: 2,
    countMax: 3_000,
    durationMs: 50,
  };
/** Exchanges: past slow start on a fast path, and no burden on a metered one. */
export const EXCHANGE_WARM_UP: { readonly countMin: number; readonly bytesMax: number } = {
  countMin: 2,
  bytesMax: 4 * 1024 * 1024,
};
/** Size of one call, and of the buffer of random bytes that is sent repeatedly. */
export const CHUNK_BYTES: number = 1024 * 1024;
