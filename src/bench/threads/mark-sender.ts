// Sends marks to the load threads, over loopback as a server would: when each was written, and how long that
// took for the one before. They come at irregular times, so that no rhythm of the load hides from them.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import net from 'node:net';
import type { ToLoadWorker } from '../load/load-plan.ts';
import { MARK_BYTES, MARK_HOST } from '../load/mark-reader.ts';

export class MarkSender {
  readonly #nowNs: () => number;
  readonly #token = randomBytes(TOKEN_BYTES);
  readonly #server = net.createServer({ noDelay: true }, socket => this.#accept(socket));
  readonly #readers = new Set<net.Socket>();
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #isStopped = false;

  /** @param nowNs since the run's zero, as the load threads count it */
  constructor(nowNs: () => number) {
    this.#nowNs = nowNs;
    this.#server.maxConnections = READERS_MAX;
  }

  /** Tells the threads where to get them; where nobody can listen on loopback there are no marks. */
  start(threads: readonly { post(message: ToLoadWorker): void }[]): void {
    this.#server.on('error', () => this.stop());
    this.#server.listen(0, MARK_HOST, () => {
      const address = this.#server.address();
      if (this.#isStopped || address === null || typeof address === 'string') return;
      const source = { port: address.port, token: this.#token };
      for (const thread of threads) thread.post({ kind: 'marks', source });
    });
    this.#server.unref();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#server.close();
    for (const socket of this.#readers) socket.destroy();
  }

  #accept(socket: net.Socket): void {
    let told = Buffer.alloc(0);
    this.#readers.add(socket);
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#readers.delete(socket));
    socket.on('data', bytes => {
      told = Buffer.concat([told, bytes]).subarray(0, TOKEN_BYTES + 1);
      if (told.length < TOKEN_BYTES) return;
      socket.removeAllListeners('data');
      if (told.length > TOKEN_BYTES || !timingSafeEqual(told, this.#token)) socket.destroy();
      else if (!this.#isStopped) this.#sendNext(socket);
    });
  }

  #sendNext(socket: net.Socket, lastWriteNs: number = 0): void {
    this.#turn += 1;
    const waitMs = WAIT_MS_MIN + ((this.#turn * GOLDEN) % 1) * WAIT_MS_SPAN;
    this.#timer = setTimeout(() => {
      if (socket.destroyed || this.#isStopped) return;
      const mark = Buffer.alloc(MARK_BYTES);
      mark.writeDoubleLE(lastWriteNs, 8);
      const stampNs = this.#nowNs();
      mark.writeDoubleLE(stampNs);
      socket.write(mark);
      this.#sendNext(socket, this.#nowNs() - stampNs);
    }, waitMs).unref();
  }
}

const TOKEN_BYTES = 32;
/** More load threads than any machine has processors. Bound in docs/limits.md. */
const READERS_MAX = 1_024;
/** A hundred a second: a thousandth of a core, and the tail of a run of ten seconds is known to 1 in 100. */
const WAIT_MS_MIN = 2;
const WAIT_MS_SPAN = 16;
/** Fractions of its multiples lie evenly, in no rhythm. */
const GOLDEN = 0.618_033_988_75;
