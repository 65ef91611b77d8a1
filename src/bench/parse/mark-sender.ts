// Sends marks to the load threads, over loopback as a server would: when each was written, and how long the previous
// write took. The owner determines the times: irregular, so that no rhythm of the load is hidden from them.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import net from 'node:net';
import { MARK_BYTES, MARK_HOST, type MarkSource } from '../arena/mark.ts';

interface Reader {
  readonly socket: net.Socket;
  lastWriteNs: number;
}

export class MarkSender {
  readonly #nowNs: () => number;
  readonly #token = randomBytes(TOKEN_BYTES);
  readonly #server = net.createServer({ noDelay: true }, socket => this.#accept(socket));
  readonly #sockets = new Set<net.Socket>();
  readonly #readers: Reader[] = [];
  #next = 0;

  /** @param nowNs since the run's zero, on the clock of the load threads */
  constructor(nowNs: () => number) {
    this.#nowNs = nowNs;
    this.#server.maxConnections = READERS_MAX;
  }

  /** Reports the address for the load threads; if listening on loopback fails there are no marks. */
  start(listening: (source: MarkSource) => void): void {
    this.#server.on('error', () => this.stop());
    this.#server.listen(0, MARK_HOST, () => {
      const address = this.#server.address();
      if (address !== null && typeof address === 'object')
        listening({ port: address.port, token: this.#token });
    });
    this.#server.unref();
  }

  /** How many threads read. */
  get readerCount(): number {
    return this.#readers.length;
  }

  /** One mark, to each reader in turn. */
  send(): void {
    if (this.#readers.length === 0) return;
    this.#next = (this.#next + 1) % this.#readers.length;
    const reader = this.#readers[this.#next];
    if (reader === undefined) return;
    const mark = Buffer.alloc(MARK_BYTES);
    mark.writeDoubleLE(reader.lastWriteNs, 8);
    const stampNs = this.#nowNs();
    mark.writeDoubleLE(stampNs);
    reader.socket.write(mark);
    reader.lastWriteNs = this.#nowNs() - stampNs;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: net.Socket): void {
    let reported = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#gone(socket));
    socket.on('data', bytes => {
      reported = Buffer.concat([reported, bytes]).subarray(0, TOKEN_BYTES + 1);
      if (reported.length < TOKEN_BYTES) return;
      socket.removeAllListeners('data');
      if (reported.length > TOKEN_BYTES || !timingSafeEqual(reported, this.#token)) socket.destroy();
      else this.#readers.push({ socket, lastWriteNs: 0 });
    });
  }

  #gone(socket: net.Socket): void {
    this.#sockets.delete(socket);
    const at = this.#readers.findIndex(reader => reader.socket === socket);
    if (at >= 0) this.#readers.splice(at, 1);
  }
}

const TOKEN_BYTES = 32;
/** More load threads than any machine has processors. Bound in docs/limits.md. */
const READERS_MAX = 1_024;
