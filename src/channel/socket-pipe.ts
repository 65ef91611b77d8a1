// Frames over a socket: 4 bytes of length, then the kind and the payload. Nothing is read while there is no listener, so a frame that arrives with the
// handshake's last one waits for the link.

import type { Socket } from 'node:net';
import type { BudgetShare, ByteBudget } from '../core/byte-budget.ts';
import { FrameDecoder, frameHead } from './frame-decoder.ts';
import type { FramePipe, PipeEvents } from './frame-pipe.ts';

export class SocketPipe implements FramePipe {
  readonly #socket: Socket;
  readonly #decoder: FrameDecoder;
  #events: PipeEvents | undefined;
  #partial: BudgetShare | undefined;
  #isReading = false;
  #isMalformed = false;
  #closedDetail: string | undefined;
  #error = '';

  constructor(socket: Socket, payloadBytesMax: number) {
    this.#socket = socket;
    this.#decoder = new FrameDecoder(payloadBytesMax);
    socket.on('data', chunk => {
      this.#decoder.push(chunk);
      this.#events?.received();
      this.#read();
      this.#partial?.resize(this.#decoder.bufferedBytes);
    });
    socket.on('drain', () => this.#events?.drained());
    socket.on('error', error => {
      this.#error = error.message;
    });
    // The peer has ended its half; nothing more can be sent to it.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.#partial?.release();
      this.#closedDetail = this.#error === '' ? 'the peer closed the connection' : this.#error;
      this.#events?.closed(this.#closedDetail);
    });
    socket.pause();
  }

  get queuedBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength;
  }

  /** For what is read from now on. The received part of a frame counts in the budget. */
  allow(payloadBytesMax: number, partial: ByteBudget): void {
    this.#decoder.allow(payloadBytesMax);
    this.#partial = partial.share(() => {
      this.#decoder.unwatch();
      this.#socket.destroy(new Error('it sent a frame that is larger than the limit'));
    });
  }

  listen(events: PipeEvents): void {
    this.#events = events;
    const detail = this.#closedDetail;
    if (detail !== undefined) {
      setImmediate(() => events.closed(detail));
      return;
    }
    this.#socket.resume();
    this.#read();
  }

  /** Nothing is read until there is a listener again. */
  pauseDelivery(): void {
    this.#events = undefined;
    this.#socket.pause();
  }

  write(kind: number, payload: Uint8Array): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    const head = frameHead(kind, payload.length);
    if (payload.length <= JOINED_BYTES_MAX) {
      socket.write(Buffer.concat([head, payload]));
      return;
    }
    socket.cork();
    socket.write(head);
    socket.write(payload);
    socket.uncork();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (this.#events !== undefined) this.#socket.resume();
  }

  end(): void {
    if (!this.#socket.destroyed) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#events !== undefined && !this.#isMalformed && !this.#socket.destroyed) {
      const decoded = this.#decoder.next();
      if (decoded === undefined) break;
      if (decoded.kind === 'frame') this.#events.frame(decoded.type, decoded.payload);
      else {
        this.#isMalformed = true;
        this.#events.malformed(decoded.detail);
      }
    }
    this.#isReading = false;
  }
}

/** Copying is cheaper than a second write up to about here. */
const JOINED_BYTES_MAX = 16_384;
