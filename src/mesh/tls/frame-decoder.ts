// Frames out of a stream of bytes: 4 bytes of length, most significant first, then the frame, whose first byte is its
// kind. Memory is bounded by the longest frame, however small the pieces are in which it comes.

export type DecodedFrame =
  | { readonly kind: 'frame'; readonly type: number; readonly payload: Uint8Array }
  | { readonly kind: 'malformed'; readonly detail: string };

export class FrameDecoder {
  #lengthMax: number;
  readonly #chunks: Uint8Array[] = [];
  /** Of the first chunk, how much was taken. */
  #taken = 0;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;
  #body: Uint8Array | undefined;
  #bodyFilled = 0;

  constructor(payloadBytesMax: number) {
    this.#lengthMax = payloadBytesMax + 1;
  }

  /** For frames whose length has not been read yet. */
  allow(payloadBytesMax: number): void {
    this.#lengthMax = payloadBytesMax + 1;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** The next whole frame, in memory of its own; undefined until more is pushed. After `malformed` nothing makes sense. */
  next(): DecodedFrame | undefined {
    for (;;) {
      if (this.#body === undefined) {
        this.#headerFilled += this.#take(this.#header, this.#headerFilled);
        if (this.#headerFilled < HEADER_BYTES) return undefined;
        const length = new DataView(this.#header.buffer).getUint32(0);
        if (length === 0 || length > this.#lengthMax)
          return { kind: 'malformed', detail: `a frame of ${length} bytes` };
        this.#body = new Uint8Array(length);
        this.#bodyFilled = 0;
      }
      this.#bodyFilled += this.#take(this.#body, this.#bodyFilled);
      if (this.#bodyFilled < this.#body.length) return undefined;
      const body = this.#body;
      this.#body = undefined;
      this.#headerFilled = 0;
      return { kind: 'frame', type: body[0] ?? 0, payload: body.subarray(1) };
    }
  }

  /** Fills `sink` from `from` on with what is there; how much that was. */
  #take(sink: Uint8Array, from: number): number {
    let filled = from;
    for (let chunk = this.#chunks[0]; chunk !== undefined && filled < sink.length; chunk = this.#chunks[0]) {
      const part = chunk.subarray(this.#taken, this.#taken + sink.length - filled);
      sink.set(part, filled);
      filled += part.length;
      this.#taken += part.length;
      if (this.#taken < chunk.length) break;
      this.#chunks.shift();
      this.#taken = 0;
    }
    return filled - from;
  }
}

/** The 5 bytes before a payload. */
export const frameHead = (type: number, payloadBytes: number): Uint8Array => {
  const head = new Uint8Array(HEADER_BYTES + 1);
  new DataView(head.buffer).setUint32(0, payloadBytes + 1);
  head[HEADER_BYTES] = type;
  return head;
};

const HEADER_BYTES = 4;
