// Splits bytes into lines and hands them out one by one, with a limit on what waits.

type NextLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'end' };

export class LineQueue {
  #lines: string[] = [];
  /** Lines before it have been handed out: taking one must not move the thousands after it. */
  #first = 0;
  readonly #lineBytesMax: number;
  #partial: Buffer = Buffer.alloc(0);
  #isTooLong = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** False when the reader is behind: stop reading until it catches up. */
  add(chunk: Buffer): boolean {
    let rest = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const line = rest.subarray(0, end);
      if (line.length > this.#lineBytesMax) this.#isTooLong = true;
      this.#lines.push(line.toString('utf8').replace(/\r$/, ''));
      rest = rest.subarray(end + 1);
    }
    this.#partial = rest;
    if (rest.length > this.#lineBytesMax) this.#isTooLong = true;
    this.#wake?.();
    return this.#lines.length - this.#first < QUEUED_LINES_MAX && !this.#isTooLong;
  }

  get isEmpty(): boolean {
    return this.#first >= this.#lines.length;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async next(idleTimeoutMs: number): Promise<NextLine> {
    let isSilent = false;
    while (true) {
      if (this.#isTooLong) return { kind: 'too-long' };
      const text = this.#take();
      if (text !== undefined) return { kind: 'line', text };
      if (this.#isClosed) return { kind: 'end' };
      if (isSilent) return { kind: 'silent' };
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const timer = Number.isFinite(idleTimeoutMs)
        ? setTimeout(() => {
            isSilent = true;
            woken.resolve();
          }, idleTimeoutMs)
        : undefined;
      await woken.promise;
      clearTimeout(timer);
    }
  }

  #take(): string | undefined {
    const text = this.#lines[this.#first];
    if (text === undefined) return undefined;
    this.#first += 1;
    if (this.isEmpty) {
      this.#lines = [];
      this.#first = 0;
    }
    return text;
  }
}

const NEWLINE = 0x0a;
const QUEUED_LINES_MAX = 1_000;
