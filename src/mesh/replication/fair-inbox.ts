// What peers bring, taken a few ms in each turn of the event loop, one frame of each peer after another: a peer that sends as
// much as it may takes its own share of the processor, and neither that of other peers nor that of whoever reads this node.
// A peer of which much waits is not read any further: it notices, and sends its newest values alone. Were all of them kept
// here, a node that is short of time for a second would be late for ever.

export interface FairInboxParts<P> {
  readonly nowMs: () => number;
  readonly take: (peer: P, frame: Uint8Array) => void;
  /** Much waits, or little again. */
  readonly pause: (peer: P) => void;
  readonly resume: (peer: P) => void;
  /** A frame past the bound of what may wait. */
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

  /** Taken at once where nothing waits and this turn has time left. */
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
      // Behind the others: each has its turn before this one has another.
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
/** What was read before a peer was paused is at most its longest frame and a few reads more. */
const WAITING_BYTES_MAX = 8_000_000;
