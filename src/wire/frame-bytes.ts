// Writing and reading the binary part of a frame: big-endian, doubles for numbers. Reading past the end gives
// zeros, and `isWhole` reports at the end that the frame was cut off, so that decoding has one place to
// refuse it.

export class ByteWriter {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
    this.#view = new DataView(this.#bytes.buffer);
  }

  byte(value: number): void {
    this.#view.setUint8(this.#at, value);
    this.#at += 1;
  }

  length(value: number): void {
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
  }

  number(value: number): void {
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  bytes(value: Uint8Array): void {
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #isWhole = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get hasMore(): boolean {
    return this.#isWhole && this.#at < this.#bytes.length;
  }

  /** False after a read past the end. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  length(): number {
    const at = this.#take(4);
    return at === undefined ? 0 : this.#view.getUint32(at);
  }

  number(): number {
    const at = this.#take(8);
    return at === undefined ? 0 : this.#view.getFloat64(at);
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return at === undefined ? new Uint8Array() : this.#bytes.subarray(at, at + length);
  }

  #take(length: number): number | undefined {
    if (!this.#isWhole || this.#at + length > this.#bytes.length) {
      this.#isWhole = false;
      return undefined;
    }
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
