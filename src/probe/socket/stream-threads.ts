// The engine of threads: one for each data connection, with blocking sockets through FFI. The main thread owns the
// descriptor, so its number cannot be given to another file while a thread still uses it. Threads are reused.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { shortReason } from '../../core/problem.ts';
import { pushAll } from '../../core/push-all.ts';
import type { TcpInfo } from '../../native/socket-abi.ts';
import type { Sockets } from '../../native/sockets.ts';
import { entryUrl } from '../../process/entry.ts';
import { CALL_MS_MAX } from './blocking-stream.ts';
import { ProbeError } from './probe-error.ts';
import type { Stream, StreamEnding, StreamEngine, StreamJob } from './stream.ts';
import { StreamBoard } from './stream-board.ts';

export interface ToStreamWorker {
  readonly descriptor: number;
  readonly job: StreamJob;
  readonly board: SharedArrayBuffer;
}

export type FromStreamWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly ending: StreamEnding };

export class StreamThreads implements StreamEngine {
  readonly name = 'socket-ffi';
  readonly reason = '';
  readonly #sockets: Sockets;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  constructor(sockets: Sockets) {
    this.#sockets = sockets;
  }

  async prepare(streams: number): Promise<void> {
    const missing = Math.max(0, streams - this.#idle.length);
    pushAll(this.#idle, await Promise.all(Array.from({ length: missing }, () => this.#newWorker())));
  }

  async adopt(socket: Socket, job: StreamJob): Promise<Stream> {
    const descriptor = this.#sockets.duplicate(descriptorOf(socket) ?? -1);
    // Closes only Node's number; the connection stays open under the other one.
    socket.destroy();
    try {
      this.#sockets.makeBlocking(descriptor, CALL_MS_MAX);
      const worker = this.#idle.pop() ?? (await this.#newWorker());
      return new ThreadStream({
        sockets: this.#sockets,
        descriptor,
        job,
        worker,
        onEnd: () => this.#idle.push(worker),
      });
    } catch (error) {
      this.#sockets.reset(descriptor);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.terminate()));
  }

  async #newWorker(): Promise<Worker> {
    const worker = new Worker(entryUrl(import.meta.url, './stream-worker.ts'));
    this.#all.add(worker);
    worker.once('exit', () => this.#all.delete(worker));
    try {
      await once(worker, 'message');
    } catch (error) {
      throw new ProbeError('protocol', `a thread could not start: ${shortReason(error)}`, { cause: error });
    }
    return worker;
  }
}

interface ThreadStreamParts {
  readonly sockets: Sockets;
  readonly descriptor: number;
  readonly job: StreamJob;
  readonly worker: Worker;
  readonly onEnd: () => void;
}

class ThreadStream implements Stream {
  readonly ended: Promise<StreamEnding>;
  readonly #board = new StreamBoard();
  readonly #sockets: Sockets;
  readonly #descriptor: number;
  #lastInfo: TcpInfo | undefined;

  constructor({ sockets, descriptor, job, worker, onEnd }: ThreadStreamParts) {
    this.#sockets = sockets;
    this.#descriptor = descriptor;
    this.ended = new Promise(resolve => {
      const settle = (ending: StreamEnding): void => {
        worker.off('message', receive);
        worker.off('error', fail);
        worker.off('exit', exited);
        resolve(ending);
      };
      const receive = (message: FromStreamWorker): void => {
        if (message.kind !== 'ended') return;
        settle(message.ending);
        onEnd();
      };
      const fail = (error: unknown): void => settle({ reason: shortReason(error), roundTripsNs: [] });
      const exited = (): void => settle({ reason: 'the thread exited', roundTripsNs: [] });
      worker.on('message', receive);
      worker.once('error', fail);
      worker.once('exit', exited);
    });
    const message: ToStreamWorker = { descriptor, job, board: this.#board.memory };
    worker.postMessage(message);
  }

  start(): void {
    this.#board.start();
  }

  stop(): void {
    this.#board.stop();
  }

  get bytes(): number {
    return this.#board.bytes;
  }

  get firstByteNs(): bigint | undefined {
    return this.#board.firstByteNs;
  }

  get lastByteNs(): bigint | undefined {
    return this.#board.lastByteNs;
  }

  tcpInfo(): TcpInfo {
    return this.#lastInfo ?? this.#sockets.tcpInfo(this.#descriptor);
  }

  discard(): void {
    if (this.#lastInfo !== undefined) return;
    this.#lastInfo = this.#sockets.tcpInfo(this.#descriptor);
    this.#sockets.reset(this.#descriptor);
  }
}

/** undefined where there is none. */
const descriptorOf = (socket: Socket): number | undefined => {
  const handle: unknown = '_handle' in socket ? socket._handle : undefined;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  const { fd } = handle;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
};
