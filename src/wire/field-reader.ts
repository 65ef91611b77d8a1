// Reads the bytes of an event batch field by field, and never past their end.

import { DecodeError } from './decode-error.ts';

export class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  text(length: number): string {
    const at = this.#advance(length);
    try {
      return decoder.decode(this.#bytes.subarray(at, at + length));
    } catch (error) {
      throw new DecodeError('a detail that is not UTF-8', { cause: error });
    }
  }

  oneOf<T>(list: readonly T[], index: number, what: string): T {
    const item = list[index];
    if (item === undefined) throw new DecodeError(`${what} ${index} is not known`);
    return item;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  f64(): number {
    const value = this.#view.getFloat64(this.#advance(8), true);
    if (!Number.isFinite(value)) throw new DecodeError('a figure that is not finite');
    return value;
  }

  f64List(count: number): number[] {
    this.need(count * 8);
    return Array.from({ length: count }, () => this.f64());
  }

  #advance(length: number): number {
    const at = this.#offset;
    this.need(length);
    this.#offset = at + length;
    return at;
  }

  need(length: number): void {
    if (this.#offset + length > this.#bytes.length) throw new DecodeError('a record is cut short');
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
