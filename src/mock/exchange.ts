// One reply being sent: writes each piece at its time and records it. The hot path of the server: no allocation per
// event.

import type { Socket } from 'node:net';
import type { Deadlined } from './deadline-queue.ts';
import type { HostTime, ServedRequest } from './mock-log.ts';
import { writeStamp } from './reply/framing.ts';
import type { Ending, Reply } from './reply/reply.ts';

interface ExchangeOptions {
  readonly reply: Reply;
  readonly served: ServedRequest;
  readonly socket: Socket;
  readonly time: HostTime;
  /** How late content was written. */
  readonly onWritten: (lateMs: number) => void;
  /** What was due could not be written because the reader is slow, and now it can. */
  readonly onUnblocked: (exchange: Exchange, nowMs: number) => void;
  readonly onDone: (exchange: Exchange, ending: Ending) => void;
}

export class Exchange implements Deadlined {
  readonly served: ServedRequest;
  readonly #reply: Reply;
  readonly #socket: Socket;
  readonly #time: HostTime;
  readonly #onWritten: ExchangeOptions['onWritten'];
  readonly #onUnblocked: ExchangeOptions['onUnblocked'];
  readonly #onDone: ExchangeOptions['onDone'];
  #startMs = 0;
  #next = 0;
  /** When a repeated piece was last sent, or due. */
  #repeatedAtMs = 0;
  #nextStamp = 0;
  #scratch: Buffer | undefined;
  #isOver = false;
  #blockedSinceMs: number | undefined;

  constructor({ reply, served, socket, time, onWritten, onUnblocked, onDone }: ExchangeOptions) {
    this.served = served;
    this.#reply = reply;
    this.#socket = socket;
    this.#time = time;
    this.#onWritten = onWritten;
    this.#onUnblocked = onUnblocked;
    this.#onDone = onDone;
  }

  /** Undefined unless it waits for a slow reader. */
  get blockedSinceMs(): number | undefined {
    return this.#blockedSinceMs;
  }

  /** @param startMs what the reply's times count from. @returns as onDue. */
  begin(startMs: number, nowMs: number): number | undefined {
    this.#startMs = startMs;
    this.#repeatedAtMs = startMs + (this.#reply.timeline.atMs.at(-1) ?? 0);
    return this.onDue(nowMs);
  }

  onDue(servedMs: number): number | undefined {
    const { pieces, timeline, ending, apartMs } = this.#reply;
    let nowMs = servedMs;
    while (!this.#isOver && this.#next < pieces.length) {
      const dueMs = this.#startMs + (timeline.atMs[this.#next] ?? 0);
      if (dueMs > nowMs) return dueMs;
      if (this.#isBlocked(nowMs)) return undefined;
      this.#write(this.#next, nowMs);
      if ((timeline.chunks[this.#next] ?? 0) > 0) this.#onWritten(nowMs - dueMs);
      this.#next += 1;
      if (apartMs > 0 && this.#next < pieces.length)
        return Math.max(nowMs + apartMs, this.#startMs + (timeline.atMs[this.#next] ?? 0));
      if (this.#next < pieces.length) nowMs = this.#time.nowMs();
    }
    if (this.#isOver) return undefined;
    switch (ending.kind) {
      case 'silence':
        return undefined;
      case 'repeat':
        return this.#repeat(ending.everyMs, nowMs);
      case 'reset': {
        const dueMs = this.#startMs + (timeline.atMs.at(-1) ?? 0) + ending.afterMs;
        if (dueMs > nowMs) return dueMs;
        this.#finish(ending);
        return undefined;
      }
      case 'keep-alive':
      case 'close':
        this.#finish(ending);
        return undefined;
      default:
        return ending satisfies never;
    }
  }

  /** The connection is gone. */
  abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.served.isClientGone = true;
    this.#onDone(this, { kind: 'silence' });
  }

  drained(nowMs: number): void {
    if (this.#blockedSinceMs === undefined || this.#isOver) return;
    this.#blockedSinceMs = undefined;
    this.#onUnblocked(this, nowMs);
  }

  #repeat(everyMs: number, nowMs: number): number | undefined {
    while (true) {
      const dueMs = this.#repeatedAtMs + everyMs;
      if (dueMs > nowMs) return dueMs;
      if (this.#isBlocked(nowMs)) return undefined;
      this.#write(this.#reply.pieces.length - 1, nowMs);
      this.#repeatedAtMs = dueMs;
    }
  }

  #isBlocked(nowMs: number): boolean {
    if (this.#socket.writableLength <= QUEUED_BYTES_MAX) return false;
    this.#blockedSinceMs ??= nowMs;
    return true;
  }

  #write(index: number, nowMs: number): void {
    const { pieces, timeline, stamps } = this.#reply;
    const piece = pieces[index];
    if (piece === undefined) return;
    const { served } = this;
    const chunks = timeline.chunks[index] ?? 0;
    served.firstByteMs ??= nowMs;
    served.lastMs = nowMs;
    served.bytes += piece.length;
    if (chunks > 0) {
      served.chunks += chunks;
      served.outputTokens += timeline.tokens[index] ?? 0;
      served.firstContentMs ??= nowMs;
      served.lastContentMs = nowMs;
      if (served.writtenMs !== undefined) this.#keepStamps(served.writtenMs, chunks);
    }
    if (stamps === undefined) this.#socket.write(piece);
    else if (stamps.kind === 'whole') this.#writeOfWhole(piece, stamps);
    else if (chunks > 0) this.#writeStamped(piece, stamps.fromEnd);
    else this.#socket.write(piece);
  }

  /** On a copy, because pieces are shared. The copy is freed once the kernel has taken it. */
  #writeStamped(piece: Buffer, fromEnd: number): void {
    if (this.#scratch === undefined || this.#scratch.length !== piece.length)
      this.#scratch = Buffer.allocUnsafe(piece.length);
    const bytes = this.#scratch;
    piece.copy(bytes);
    this.#stamp(bytes, bytes.length - fromEnd);
    this.#socket.write(bytes);
    if (this.#socket.writableLength > 0) this.#scratch = undefined;
  }

  /** A stamp is written with the piece that contains its first digit; later pieces contain the rest. */
  #writeOfWhole(
    piece: Buffer,
    { whole, at }: { readonly whole: Buffer; readonly at: readonly number[] },
  ): void {
    const end = piece.byteOffset - whole.byteOffset + piece.length;
    for (
      let offset = at[this.#nextStamp];
      offset !== undefined && offset < end;
      offset = at[this.#nextStamp]
    ) {
      this.#stamp(whole, offset);
      this.#nextStamp += 1;
    }
    this.#socket.write(piece);
  }

  #stamp(bytes: Buffer, at: number): void {
    const writeNs = this.#time.nsAt(this.#time.nowMs());
    writeStamp(bytes, at, this.#time.nsAt(this.served.readMs), writeNs);
  }

  /** Taken now: what was due before it took its time. */
  #keepStamps(writtenMs: number[], chunks: number): void {
    const nowMs = this.#time.nowMs();
    for (let chunk = 0; chunk < chunks; chunk += 1) writtenMs.push(nowMs);
  }

  #finish(ending: Ending): void {
    this.#isOver = true;
    this.#onDone(this, ending);
  }
}

/** Bytes that may wait in the mock for one slow reader. */
const QUEUED_BYTES_MAX = 1_048_576;
