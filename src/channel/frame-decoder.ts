// Frames from a stream of bytes: 4 bytes of length, most significant first, then the frame, whose first byte
// is its kind. Memory grows with what has arrived, to at most twice that, for any claimed length of the frame
// and any size of the pieces.

type DecodedFrame =
  | { readonly kind: 'frame'; readonly type: number; readonly payload: Uint8Array }
  | { readonly kind: 'malformed'; readonly detail: string };

export class FrameDecoder {
  #lengthMax: number;
  readonly #chunks: Uint8Array[] = [];
  /** How much of the first chunk was taken. */
  #taken = 0;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;
  #body: Uint8Array | undefined;
  #bodyFilled = 0;
  #bodyLength = 0;

  constructor(payloadBytesMax: number) {
    this.#lengthMax = payloadBytesMax + 1;
  }

  /** For frames whose length has not been read yet. */
  allow(payloadBytesMax: number): void {
    this.#lengthMax = payloadBytesMax + 1;
  }

  /** Bytes of an incomplete frame. */
  get bufferedBytes(): number {
    return this.#body?.length ?? 0;
  }

  /** What follows cannot be decoded. */
  unwatch(): void {
    this.#body = undefined;
    this.#chunks.length = 0;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /**
   * The next whole frame, in its own memory; undefined until more is pushed. After `malformed` nothing can be
   * decoded.
   */
  next(): DecodedFrame | undefined {
    for (;;) {
      if (this.#body === undefined) {
        this.#headerFilled += this.#take(this.#header, this.#headerFilled);
        if (this.#headerFilled < HEADER_BYTES) return undefined;
        const length = new DataView(this.#header.buffer).getUint32(0);
        if (length === 0 || length > this.#lengthMax)
          return { kind: 'malformed', detail: `a frame of ${length} bytes` };
        this.#body = new Uint8Array(Math.min(length, FIRST_BYTES));
        this.#bodyFilled = 0;
        this.#bodyLength = length;
      }
      this.#bodyFilled += this.#take(this.#body, this.#bodyFilled);
      if (this.#bodyFilled < this.#body.length) return undefined;
      if (this.#bodyFilled < this.#bodyLength) {
        this.#body = grown(this.#body, this.#bodyLength);
        continue;
      }
      const body = this.#body;
      this.#body = undefined;
      this.#headerFilled = 0;
      return { kind: 'frame', type: body[0] ?? 0, payload: body.subarray(1) };
    }
  }

  /** Fills `sink` from `from` on with the available bytes; returns their number. */
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

const grown = (body: Uint8Array, lengthMax: number): Uint8Array => {
  const longer = new Uint8Array(Math.min(lengthMax, 2 * body.length));
  longer.set(body);
  return longer;
};

/** The 5 bytes before a payload. */
export const frameHead = (type: number, payloadBytes: number): Uint8Array => {
  const head = new Uint8Array(HEADER_BYTES + 1);
  new DataView(head.buffer).setUint32(0, payloadBytes + 1);
  head[HEADER_BYTES] = type;
  return head;
};

const HEADER_BYTES = 4;
/** Most frames are shorter. */
const FIRST_BYTES = 16_384;
