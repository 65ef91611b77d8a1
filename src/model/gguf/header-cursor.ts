// Reads the header of a file in windows. Lengths inside are never trusted: stored values have a maximum, skipped ones
// are not read, and nothing is allocated from a length field.

import type { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import { type ByteSource, ModelError } from '../byte-source.ts';

export class HeaderCursor {
  readonly #source: ByteSource;
  readonly #budget: ExpansionBudget;
  #window: DataView = new DataView(new ArrayBuffer(0));
  /** Offset of the window's first byte. */
  #start = 0;
  /** Within the window; beyond its end after a long skip. */
  #at = 0;
  /** Up to this byte the header is counted. */
  #counted = 0;

  constructor(source: ByteSource, budget: ExpansionBudget) {
    this.#source = source;
    this.#budget = budget;
  }

  get offset(): number {
    return this.#start + this.#at;
  }

  /** Whether so many bytes can be taken without another read. */
  has(count: number): boolean {
    return this.#at + count <= this.#window.byteLength;
  }

  /** @throws ModelError if the file ends before them. */
  async fill(count: number): Promise<void> {
    const offset = this.offset;
    if (offset + count > this.#source.byteCount) throw this.endsEarly(offset + count);
    if (offset > INPUT_LIMITS.gguf.bytesMax) {
      throw new ModelError({
        code: 'damaged',
        problem: `${this.#source.location}: its header is longer than ${INPUT_LIMITS.gguf.bytesMax / 2 ** 20} MiB`,
        advice: INPUT_LIMITS.gguf.advice,
      });
    }
    this.#budget.add(offset - this.#counted);
    this.#counted = offset;
    const bytes = await this.#source.read(offset, Math.max(count, WINDOW_BYTES));
    if (bytes.byteLength < count) throw this.endsEarly(offset + count);
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = offset;
    this.#at = 0;
  }

  endsEarly(needed: number): ModelError {
    return new ModelError({
      code: 'damaged',
      problem: `${this.#source.location} ends at byte ${this.#source.byteCount}, in the middle of its header (${needed} bytes needed)`,
      advice: 'It was cut off: download the file again.',
    });
  }

  damaged(what: string): ModelError {
    return new ModelError({
      code: 'damaged',
      problem: `${this.#source.location}: at byte ${this.offset}: ${what}`,
      advice: 'The file is damaged, or is not what its name says: download it again.',
    });
  }

  u8(): number {
    return this.#window.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#window.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#window.getUint32(this.#advance(4), true);
  }

  /** @throws ModelError for one beyond 2^53, which no length or count of a model is. */
  u64(): number {
    const low = this.#window.getUint32(this.#at, true);
    const high = this.#window.getUint32(this.#at + 4, true);
    if (high >= 2 ** 21) throw this.damaged('a count or length is beyond 2^53');
    this.#advance(8);
    return high * 2 ** 32 + low;
  }

  i8(): number {
    return this.#window.getInt8(this.#advance(1));
  }

  i16(): number {
    return this.#window.getInt16(this.#advance(2), true);
  }

  i32(): number {
    return this.#window.getInt32(this.#advance(4), true);
  }

  /** Rounded beyond 2^53. */
  i64(): number {
    return Number(this.#window.getBigInt64(this.#advance(8), true));
  }

  f32(): number {
    return this.#window.getFloat32(this.#advance(4), true);
  }

  f64(): number {
    return this.#window.getFloat64(this.#advance(8), true);
  }

  text(byteCount: number): string {
    const at = this.#advance(byteCount);
    return UTF8.decode(new Uint8Array(this.#window.buffer, this.#window.byteOffset + at, byteCount));
  }

  skip(byteCount: number): void {
    if (this.offset + byteCount > this.#source.byteCount) throw this.endsEarly(this.offset + byteCount);
    this.#at += byteCount;
  }

  #advance(count: number): number {
    const at = this.#at;
    this.#at += count;
    return at;
  }
}

const UTF8 = new TextDecoder();
const WINDOW_BYTES = 2 ** 20;
