// A channel of frames over one TLS connection, the same at both ends: 4 bytes of length, then the frame.
// fleet/framed-channel.ts interprets the frames.

import type { TLSSocket } from 'node:tls';
import { AGENT_MESSAGE_BYTES_MAX } from '../../../wire/agent-message.ts';
import { DecodeError } from '../../../wire/decode-error.ts';
import { FrameDecoder, frameHead } from '../../../wire/frame-decoder.ts';
import type { FrameLine } from '../../fleet/framed-channel.ts';

export class TlsLine implements FrameLine {
  readonly #socket: TLSSocket;
  readonly #gone: Promise<unknown>;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined); // 'close' follows, and the reader sees it
    this.#gone = new Promise(resolve => {
      if (socket.closed) resolve(undefined);
      else socket.once('close', resolve);
    });
  }

  async write(frame: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (!socket.writable) return;
    socket.cork();
    socket.write(frameHead(frame[0] ?? 0, frame.length - 1));
    const hasRoom = socket.write(frame.subarray(1));
    socket.uncork();
    if (hasRoom) return;
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    socket.once('drain', resolve);
    await Promise.race([drained, this.#gone]);
    socket.off('drain', resolve);
  }

  get frames(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async end(): Promise<void> {
    const socket = this.#socket;
    if (socket.closed) return;
    // What was written is delivered before the close, within a time limit: the other end may not be reading.
    socket.end();
    const patience = setTimeout(() => socket.destroy(), END_MS_MAX);
    await this.#gone;
    clearTimeout(patience);
  }

  async *#read(): AsyncGenerator<Uint8Array, void, void> {
    const decoder = new FrameDecoder(AGENT_MESSAGE_BYTES_MAX);
    const chunks: AsyncIterable<Uint8Array> = this.#socket;
    for await (const chunk of chunks) {
      decoder.push(chunk);
      for (let decoded = decoder.next(); decoded !== undefined; decoded = decoder.next()) {
        if (decoded.kind === 'malformed') throw new DecodeError(decoded.detail);
        const frame = new Uint8Array(decoded.payload.length + 1);
        frame[0] = decoded.type;
        frame.set(decoded.payload, 1);
        yield frame;
      }
    }
  }
}

const END_MS_MAX = 2_000;
