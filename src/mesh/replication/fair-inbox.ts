// Incoming frames, handled for a few ms in each turn of the event loop, one frame per peer in rotation: a peer that
// sends as much as it may uses only its own share of the processor, not that of other peers or of HTTP clients. Reading
// from a peer with too much waiting pauses: it notices, and sends only its newest values. If everything were queued
// here, a node that is overloaded for a second would stay late forever.

export interface FairInboxParts<P> {
  readonly nowMs: () => number;
  readonly take: (peer: P, frame: Uint8Array) => void;
  /** Too much is waiting, or little again. */
  readonly pause: (peer: P) => void;
  readonly resume: (peer: P) => void;
  /** A frame past the limit of what may wait. */
  readonly refused: () => void;
}

export class FairInbox<P> {
  readonly #parts: FairInboxParts<P>;
  readonly #waiting = new Map<P, { readonly frames: Uint8Array[]; bytes: number }>();
  readonly #paused = new Set<P>();
  #spentMs = 0;
  #isScheduled = false;

  constructor(parts: FairInboxParts<P>) {
    this.#parts = parts;
  }

  /** Handled at once if nothing waits and this turn has time left. */
  put(peer: P, frame: Uint8Array): void {
    if (this.#waiting.size === 0 && this.#spentMs < TURN_MS) {
      this.#take(peer, frame);
      return;
    }
    const held = this.#waiting.get(peer) ?? { frames: [], bytes: 0 };
    if (held.bytes + frame.length > WAITING_BYTES_MAX) {
      this.#parts.refused();
      return;
    }
    held.frames.push(frame);
    held.bytes += frame.length;
    this.#waiting.set(peer, held);
    if (held.bytes > WAITING_BYTES_HIGH && !this.#paused.has(peer)) {
      this.#paused.add(peer);
      this.#parts.pause(peer);
    }
    this.#schedule();
  }

  forget(peer: P): void {
    this.#waiting.delete(peer);
    this.#paused.delete(peer);
  }

  #take(peer: P, frame: Uint8Array): void {
    const { nowMs, take } = this.#parts;
    const beganMs = nowMs();
    take(peer, frame);
    this.#spentMs += nowMs() - beganMs;
    if (this.#spentMs > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#spentMs = 0;
    while (this.#waiting.size > 0 && this.#spentMs < TURN_MS) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const [peer, held] = next;
      // To the end of the queue: each other peer has its turn before this one has another.
      this.#waiting.delete(peer);
      const frame = held.frames.shift();
      held.bytes -= frame?.length ?? 0;
      if (held.frames.length > 0) this.#waiting.set(peer, held);
      if (held.bytes <= WAITING_BYTES_HIGH / 2 && this.#paused.delete(peer)) this.#parts.resume(peer);
      if (frame !== undefined) this.#take(peer, frame);
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}

const TURN_MS = 10;
const WAITING_BYTES_HIGH = 131_072;
/** Data read before a peer was paused is at most its longest frame and a few reads more. */
const WAITING_BYTES_MAX = 8_000_000;
