// Reads the marks that the main thread sends over loopback while the load runs: each says when it was written, on the clock
// that everything is measured with. How much later the load thread has it, beyond what the thread's own work explains, is
// how late the system wakes it: the part of a reply's lateness that nobody can see from within.

import net from 'node:net';
import { BEATS_MAX } from '../../wire/event-batch-layout.ts';
import type { MarkSource } from './load-plan.ts';

export class MarkReader {
  /** Of the marks since `clear`, the first `count`. */
  readonly latenessNs: Float64Array = new Float64Array(BEATS_MAX);
  count = 0;
  #socket: net.Socket | undefined;

  /** @param readHappened how much of the lateness of a read now the thread itself explains, ns */
  connect({ port, token }: MarkSource, nowNs: () => number, readHappened: (stampNs: number) => number): void {
    const buffer = Buffer.alloc(READ_BYTES);
    let kept = 0;
    const socket = net.connect({
      port,
      host: MARK_HOST,
      noDelay: true,
      onread: {
        buffer,
        callback: length => {
          const stampNs = nowNs();
          const explainedNs = readHappened(stampNs);
          // Marks are written whole and are small, but nothing forbids a system to cut one.
          if (kept > 0 || length % MARK_BYTES !== 0) {
            kept = (kept + length) % MARK_BYTES;
            return true;
          }
          for (let at = 0; at < length; at += MARK_BYTES)
            this.#add(Math.max(0, stampNs - buffer.readDoubleLE(at) - explainedNs));
          return true;
        },
      },
    });
    // Without marks the account says that they are missing.
    socket.on('error', () => socket.destroy());
    socket.write(token);
    socket.unref();
    this.#socket = socket;
  }

  clear(): void {
    this.count = 0;
  }

  stop(): void {
    this.#socket?.destroy();
  }

  #add(lateNs: number): void {
    const at = Math.min(this.count, BEATS_MAX - 1);
    this.latenessNs[at] = at < this.count ? Math.max(this.latenessNs[at] ?? 0, lateNs) : lateNs;
    this.count = at + 1;
  }
}

export const MARK_HOST = '127.0.0.1';
export const MARK_BYTES = 8;
const READ_BYTES = 4_096;
