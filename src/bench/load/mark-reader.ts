// Reads the marks that a parse thread sends over loopback while the load runs: each contains when it was written, on
// the clock of all measurements. How much later the load thread reads it, beyond the delay that its own work
// explains, is the system's wake-up latency: the part of a reply's lateness that a thread cannot observe by itself.

import net from 'node:net';
import { BEATS_MAX } from '../../wire/event-batch-layout.ts';
import { MARK_BYTES, MARK_HOST, type MarkSource } from '../arena/mark.ts';

export class MarkReader {
  /**
   * For each mark since `clear` two figures: its lateness, and the delay caused by the system; `count` figures in
   * all.
   */
  readonly latenessNs: Float64Array = new Float64Array(2 * BEATS_MAX);
  count = 0;
  /** The newest: the next one contains how long its write took. */
  #pending: { readonly totalNs: number; readonly late: MarkLate } | undefined;
  #socket: net.Socket | undefined;

  /** @param readHappened how much of the lateness of a read now the thread itself explains, ns */
  connect(
    { port, token }: MarkSource,
    nowNs: () => number,
    readHappened: (stampNs: number) => MarkLate,
  ): void {
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
          const late = readHappened(stampNs);
          // Marks are small and written whole, but a system may split one.
          if (kept > 0 || length % MARK_BYTES !== 0) {
            kept = (kept + length) % MARK_BYTES;
            return true;
          }
          for (let at = 0; at < length; at += MARK_BYTES) {
            this.#confirm(buffer.readDoubleLE(at + 8));
            this.#pending = { totalNs: stampNs - buffer.readDoubleLE(at), late };
          }
          return true;
        },
      },
    });
    // Without marks the report states that they are missing.
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

  /**
   * A stall of the whole process delays the writing of marks, too: a beat replaces the mark that would have shown it.
   */
  missed(blockedNs: number): void {
    this.#report(blockedNs, 0);
  }

  /** A mark whose writer was interrupted between stamp and write is no evidence of a late read. */
  #confirm(writeNs: number): void {
    const mark = this.#pending;
    if (mark === undefined || writeNs > INTERRUPTED_NS) return;
    const { lateNs, restNs } = mark.late;
    this.#report(mark.totalNs - lateNs, mark.totalNs - lateNs - restNs);
  }

  /**
   * There are never more marks than cells between two reports; if there were, the last cell would keep the longest.
   */
  #report(lateNs: number, blockedNs: number): void {
    const at = Math.min(this.count, 2 * (BEATS_MAX - 1));
    const isNew = at === this.count;
    const kept = (index: number): number => (isNew ? 0 : (this.latenessNs[index] ?? 0));
    this.latenessNs[at] = Math.max(kept(at), lateNs);
    this.latenessNs[at + 1] = Math.max(kept(at + 1), blockedNs);
    this.count = at + 2;
  }
}

/**
 * Part of a lateness that the thread itself explains: its work and its waiting for a processor, and other sleep
 * before.
 */
interface MarkLate {
  readonly lateNs: number;
  readonly restNs: number;
}

/** A write of 16 bytes takes some 20 µs. */
const INTERRUPTED_NS = 200_000;
const READ_BYTES = 4_096;
