// Reads the marks that a parse thread sends over loopback while the load runs: each says when it was written, on the clock
// that everything is measured with. How much later the load thread has it, beyond what the thread's own work explains, is
// how late the system wakes it: the part of a reply's lateness that nobody can see from within.

import net from 'node:net';
import { BEATS_MAX } from '../../wire/event-batch-layout.ts';
import { MARK_BYTES, MARK_HOST, type MarkSource } from '../arena/mark.ts';

export class MarkReader {
  /** Of each mark since `clear` two figures: its lateness, and how long the system held it back; `count` figures in all. */
  readonly latenessNs: Float64Array = new Float64Array(2 * BEATS_MAX);
  count = 0;
  /** The newest: the next one says how long its writing took. */
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
          // Marks are written whole and are small, but nothing forbids a system to cut one.
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

  /** Whatever holds a whole process keeps its marks from being written, too: a beat stands in for the one that would have told it. */
  missed(blockedNs: number): void {
    this.#report(blockedNs, 0);
  }

  /** A mark whose writer was interrupted between stamp and write says nothing of how late it was read. */
  #confirm(writeNs: number): void {
    const mark = this.#pending;
    if (mark === undefined || writeNs > INTERRUPTED_NS) return;
    const { lateNs, restNs } = mark.late;
    this.#report(mark.totalNs - lateNs, mark.totalNs - lateNs - restNs);
  }

  /** More than are told at a time never come between two tellings; should they, the last place keeps the longest. */
  #report(lateNs: number, blockedNs: number): void {
    const at = Math.min(this.count, 2 * (BEATS_MAX - 1));
    const isNew = at === this.count;
    const kept = (index: number): number => (isNew ? 0 : (this.latenessNs[index] ?? 0));
    this.latenessNs[at] = Math.max(kept(at), lateNs);
    this.latenessNs[at + 1] = Math.max(kept(at + 1), blockedNs);
    this.count = at + 2;
  }
}

/** What the thread itself explains of a lateness: its work and its waiting for a processor, and what else it slept before. */
interface MarkLate {
  readonly lateNs: number;
  readonly restNs: number;
}

/** A write of 16 bytes takes some 20 µs. */
const INTERRUPTED_NS = 200_000;
const READ_BYTES = 4_096;
