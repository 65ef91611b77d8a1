// Which engine the machine has.

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { monotonicNs } from '../../clock/system-clock.ts';
import { shortReason } from '../../core/problem.ts';
import { type TcpInfo, unknownTcpInfo } from '../../native/socket-abi.ts';
import { loadSockets } from '../../native/sockets.ts';
import type { Env } from '../../process/child.ts';
import {
  CHUNK_BYTES,
  EXCHANGE_WARM_UP,
  ROUND_TRIP_BYTES,
  type Stream,
  type StreamEnding,
  type StreamEngine,
  type StreamJob,
  WARM_UP,
} from './stream.ts';
import { StreamThreads } from './stream-threads.ts';

/** "off" keeps probes on the event loop: for a machine on which foreign calls misbehave. */
const FFI_VARIABLE = 'PLIMSOLL_FFI';

export const openStreamEngine = async (env: Env, platform: string): Promise<StreamEngine> => {
  if (env[FFI_VARIABLE] === 'off') return new EventLoopStreams(`${FFI_VARIABLE} is off`);
  const load = await loadSockets(platform);
  return load.kind === 'loaded' ? new StreamThreads(load.sockets) : new EventLoopStreams(load.reason);
};

// The engine without FFI: the same jobs on Node's own sockets. Slower on fast links, and a few microseconds
// longer for a round trip; profiles state that it was used.
export class EventLoopStreams implements StreamEngine {
  readonly name = 'socket-event-loop';
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  adopt(socket: Socket, job: StreamJob): Promise<Stream> {
    return Promise.resolve(new EventLoopStream(socket, job));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It owns no resources.
  }
}

class EventLoopStream implements Stream {
  readonly ended: Promise<StreamEnding>;
  readonly #socket: Socket;
  readonly #job: StreamJob;
  readonly #settle: (ending: StreamEnding) => void;
  readonly #roundTripsNs: number[] = [];
  #isStopped = false;
  #bytes = 0;
  #firstByteNs: bigint | undefined;
  #lastByteNs: bigint | undefined;
  #sentNs = 0n;
  /** Bytes of the message in flight. */
  #partialBytes = 0;

  constructor(socket: Socket, job: StreamJob) {
    this.#socket = socket;
    this.#job = job;
    const { promise, resolve } = Promise.withResolvers<StreamEnding>();
    this.ended = promise;
    this.#settle = resolve;
    socket.setNoDelay(true);
    socket.once('close', () => {
      const cause = socket.errored === null ? 'the other end closed the connection' : socket.errored;
      this.#end(shortReason(cause));
    });
  }

  start(): void {
    if (this.#isStopped) return;
    this.#socket.resume(); // the handshake left it paused; while sending, only the end should arrive
    switch (this.#job.kind) {
      case 'send':
        this.#send(randomBytes(CHUNK_BYTES), this.#job.bytesMax);
        break;
      case 'receive':
        this.#receive(this.#job.bytesMax);
        break;
      case 'echo':
        this.#echo();
        break;
      case 'ping':
        this.#ping(this.#job.count);
        break;
      case 'exchange':
        this.#exchange(this.#job);
        break;
      default:
        this.#job satisfies never;
    }
  }

  stop(): void {
    this.#end('');
  }

  get bytes(): number {
    return this.#bytes - (this.#job.kind === 'send' ? this.#socket.writableLength : 0);
  }

  get firstByteNs(): bigint | undefined {
    return this.#firstByteNs;
  }

  get lastByteNs(): bigint | undefined {
    return this.#lastByteNs;
  }

  tcpInfo(): TcpInfo {
    return unknownTcpInfo('known only to the engine with FFI');
  }

  discard(): void {
    this.#socket.resetAndDestroy();
  }

  #send(chunk: Buffer, bytesMax: number): void {
    const more = (): void => {
      while (!this.#isStopped && this.#bytes < bytesMax) {
        const left = bytesMax - this.#bytes;
        const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
        this.#bytes += part.length;
        if (!this.#socket.write(part)) return;
      }
    };
    this.#socket.on('drain', more);
    more();
  }

  #receive(bytesMax: number): void {
    this.#socket.on('data', (data: Buffer) => {
      if (this.#isStopped) return;
      this.#firstByteNs ??= monotonicNs();
      this.#bytes += data.length;
      if (this.#bytes < bytesMax) return;
      this.#lastByteNs = monotonicNs();
      this.#end('');
    });
  }

  #echo(): void {
    this.#socket.on('data', (data: Buffer) => {
      if (this.#isStopped) return;
      this.#bytes += data.length;
      this.#socket.write(data);
    });
  }

  #ping(count: number): void {
    const message = randomBytes(ROUND_TRIP_BYTES);
    const warmFromNs = monotonicNs() + BigInt(WARM_UP.durationMs * 1_000_000);
    let warmedUp = 0;
    const next = (): void => {
      this.#sentNs = monotonicNs();
      this.#socket.write(message);
    };
    this.#socket.on('data', (data: Buffer) => {
      if (this.#isStopped) return;
      this.#partialBytes += data.length;
      if (this.#partialBytes < ROUND_TRIP_BYTES) return;
      this.#partialBytes = 0;
      const backNs = monotonicNs();
      const isWarm =
        warmedUp >= WARM_UP.countMax || (warmedUp >= WARM_UP.countMin && this.#sentNs >= warmFromNs);
      if (isWarm) this.#roundTripsNs.push(Number(backNs - this.#sentNs));
      else warmedUp += 1;
      this.#bytes += ROUND_TRIP_BYTES;
      if (this.#roundTripsNs.length >= count) this.#end('');
      else next();
    });
    next();
  }

  #exchange({ bytes, count }: Extract<StreamJob, { kind: 'exchange' }>): void {
    const message = randomBytes(bytes);
    const warmFromNs = monotonicNs() + BigInt(WARM_UP.durationMs * 1_000_000);
    const warmUpMax = Math.max(EXCHANGE_WARM_UP.countMin, Math.floor(EXCHANGE_WARM_UP.bytesMax / bytes));
    let warmedUp = 0;
    const next = (): void => {
      this.#sentNs = monotonicNs();
      this.#socket.write(message);
    };
    this.#socket.on('data', (data: Buffer) => {
      this.#partialBytes += data.length;
      // The other end may be one exchange ahead.
      while (!this.#isStopped && this.#partialBytes >= bytes) {
        this.#partialBytes -= bytes;
        this.#bytes += bytes;
        const isWarm =
          warmedUp >= warmUpMax || (warmedUp >= EXCHANGE_WARM_UP.countMin && this.#sentNs >= warmFromNs);
        if (!isWarm) warmedUp += 1;
        else if (Number.isFinite(count)) this.#roundTripsNs.push(Number(monotonicNs() - this.#sentNs));
        if (this.#roundTripsNs.length >= count) this.#end('');
        else next();
      }
    });
    next();
  }

  #end(reason: string): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#socket.pause();
    this.#settle({ reason, roundTripsNs: this.#roundTripsNs });
  }
}
