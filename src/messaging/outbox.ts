// Frames that wait for the transport: a queue bounded in bytes. What does not fit is dropped and counted.

export class Outbox {
  readonly #bytesMax: number;
  #waiting: Uint8Array[] = [];
  #head = 0;
  #bytes = 0;
  #droppedCount = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** False when there is no room: the frame is dropped and counted. */
  put(frame: Uint8Array): boolean {
    if (this.#bytes + costOf(frame) > this.#bytesMax) {
      this.drop();
      return false;
    }
    this.#waiting.push(frame);
    this.#bytes += costOf(frame);
    return true;
  }

  /** Counts a frame that was not even offered. */
  drop(): void {
    this.#droppedCount += 1;
  }

  /** The oldest frame, which stays until `shift`. */
  peek(): Uint8Array | undefined {
    return this.#waiting[this.#head];
  }

  shift(): void {
    const frame = this.#waiting[this.#head];
    if (frame === undefined) return;
    this.#bytes -= costOf(frame);
    this.#head += 1;
    // Removing from the front of an array moves the rest, so it is trimmed only occasionally.
    if (this.#head === this.#waiting.length || this.#head >= CUT_AT) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
  }

  /** What is left when the transport closes is lost, and counted. */
  clear(): void {
    this.#droppedCount += this.#waiting.length - this.#head;
    this.#waiting = [];
    this.#head = 0;
    this.#bytes = 0;
  }
}

/** Includes the object's overhead, so many small frames are limited as well as few large ones. */
const costOf = (frame: Uint8Array): number => frame.length + OBJECT_BYTES;

const OBJECT_BYTES = 128;
const CUT_AT = 1_024;
