// Incoming frames, handled for a few ms in each turn of the event loop, one frame per source in rotation: a
// source that sends as much as it may uses only its own share of the processor, not that of the others or of
// HTTP clients. Reading from a link with too much queued pauses: the peer notices, and sends only its newest
// values. If everything were queued here, a node that is overloaded for a second would stay late forever.

interface FairInboxParts<B, L> {
  readonly nowMs: () => number;
  /** The link over which frames of this source arrive. */
  readonly owner: (relaySource: B) => L;
  readonly take: (relaySource: B, frame: Uint8Array) => void;
  /** Too much is queued, or little again. */
  readonly pause: (link: L) => void;
  readonly resume: (link: L) => void;
  /** A frame above the limit of queued frames. */
  readonly refused: () => void;
}

interface Waiting {
  bytes: number;
  isPaused: boolean;
}

export class FairInbox<B, L> {
  readonly #parts: FairInboxParts<B, L>;
  readonly #waiting = new Map<B, Uint8Array[]>();
  readonly #links = new Map<L, Waiting>();
  #spentMs = 0;
  #isScheduled = false;

  constructor(parts: FairInboxParts<B, L>) {
    this.#parts = parts;
  }

  /** Handled at once if nothing is queued and this turn has time left. */
  put(relaySource: B, frame: Uint8Array): void {
    if (this.#waiting.size === 0 && this.#spentMs < TURN_MS) {
      this.#take(relaySource, frame);
      return;
    }
    const link = this.#parts.owner(relaySource);
    const waiting = this.#links.get(link) ?? { bytes: 0, isPaused: false };
    if (waiting.bytes + costOf(frame) > WAITING_BYTES_MAX) {
      this.#parts.refused();
      return;
    }
    this.#links.set(link, waiting);
    waiting.bytes += costOf(frame);
    const frames = this.#waiting.get(relaySource);
    if (frames === undefined) this.#waiting.set(relaySource, [frame]);
    else frames.push(frame);
    if (waiting.bytes > WAITING_BYTES_HIGH && !waiting.isPaused) {
      waiting.isPaused = true;
      this.#parts.pause(link);
    }
    this.#schedule();
  }

  forget(link: L): void {
    this.#links.delete(link);
    for (const relaySource of this.#waiting.keys())
      if (this.#parts.owner(relaySource) === link) this.#waiting.delete(relaySource);
  }

  #take(relaySource: B, frame: Uint8Array): void {
    const { nowMs, take } = this.#parts;
    const beganMs = nowMs();
    take(relaySource, frame);
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
      const [relaySource, frames] = next;
      // To the end of the queue: every other source has a turn before this one has another.
      this.#waiting.delete(relaySource);
      const frame = frames.shift();
      if (frames.length > 0) this.#waiting.set(relaySource, frames);
      this.#took(this.#parts.owner(relaySource), frame === undefined ? 0 : costOf(frame));
      if (frame !== undefined) this.#take(relaySource, frame);
    }
    if (this.#waiting.size > 0) this.#schedule();
  }

  #took(link: L, bytes: number): void {
    const waiting = this.#links.get(link);
    if (waiting === undefined) return;
    waiting.bytes -= bytes;
    if (waiting.isPaused && waiting.bytes <= WAITING_BYTES_HIGH / 2) {
      waiting.isPaused = false;
      this.#parts.resume(link);
    }
    if (waiting.bytes === 0) this.#links.delete(link);
  }
}

/** Memory of a frame: an empty one costs memory too. */
const costOf = (frame: Uint8Array): number => frame.length + FRAME_COST_BYTES;

const TURN_MS = 10;
const FRAME_COST_BYTES = 128;
const WAITING_BYTES_HIGH = 131_072;
/** Data read before a link was paused is at most its longest frame and a few reads more. */
const WAITING_BYTES_MAX = 8_000_000;
