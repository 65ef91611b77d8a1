// Lines of text from bytes as they arrive: of children, of peers, of files that grow. A line above the limit is left out
// whole, so that memory does not grow with it.

import { StringDecoder } from 'node:string_decoder';

export class TextLines {
  readonly #lengthMax: number;
  readonly #decoder: StringDecoder = new StringDecoder('utf8');
  #rest = '';
  #isCut = false;
  #leftOut = 0;

  /** @param lengthMax of a line, in characters */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** Lines that were too long. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Those that are complete now, without their ends. */
  add(chunk: Buffer): readonly string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    if (lines.length > 0 && this.#isCut) {
      lines.shift();
      this.#isCut = false;
    }
    const whole = lines.filter(({ length }) => length <= this.#lengthMax);
    this.#leftOut += lines.length - whole.length;
    if (this.#isCut) this.#rest = '';
    else if (this.#rest.length > this.#lengthMax) {
      this.#leftOut += 1;
      this.skipToNext();
    }
    return whole;
  }

  /** Leaves out what follows up to the end of a line, and what came of it. */
  skipToNext(): void {
    this.#rest = '';
    this.#isCut = true;
    this.#decoder.end();
  }
}
