// Splits bytes into lines and hands them out one by one, with a limit on what waits.

import { TextLines } from './text-lines.ts';

type NextLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'end' };

export class LineQueue {
  #lines: string[] = [];
  /** Lines before it have been handed out: taking one must not move the thousands after it. */
  #first = 0;
  readonly #incoming: TextLines;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** @param lineLengthMax in characters */
  constructor(lineLengthMax: number) {
    this.#incoming = new TextLines(lineLengthMax);
  }

  /** False when the reader is behind: stop reading until it catches up. */
  add(chunk: Buffer): boolean {
    for (const line of this.#incoming.add(chunk)) this.#lines.push(line.replace(/\r$/, ''));
    this.#wake?.();
    return this.#lines.length - this.#first < QUEUED_LINES_MAX && this.#incoming.leftOut === 0;
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
      if (this.#incoming.leftOut > 0) return { kind: 'too-long' };
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

const QUEUED_LINES_MAX = 1_000;
