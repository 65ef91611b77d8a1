// What a child writes to its pipe: JSON values, one per line. The first and the last are kept.

import { TextLines } from './text-lines.ts';

export class JsonLines {
  readonly #lines = new TextLines(LINE_LENGTH_MAX);
  readonly #waiters = new Set<() => void>();
  #count = 0;
  #first: unknown;
  #last: unknown;
  #isClosed = false;
  readonly #onMessage: (message: unknown) => void;

  /** @param onMessage called for each value after the first */
  constructor(onMessage: (message: unknown) => void = () => undefined) {
    this.#onMessage = onMessage;
  }

  get first(): unknown {
    return this.#first;
  }

  /** After the first. */
  get last(): unknown {
    return this.#last;
  }

  add(chunk: Buffer): void {
    for (const line of this.#lines.add(chunk)) this.#take(line);
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** False when the signal aborts, or the child's pipe closes, before the first line. */
  async waitForFirst(signal: AbortSignal): Promise<boolean> {
    while (this.#count === 0 && !this.#isClosed && !signal.aborted) {
      await new Promise<void>(resolve => {
        const settle = (): void => {
          this.#waiters.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve();
        };
        this.#waiters.add(settle);
        signal.addEventListener('abort', settle, { once: true });
      });
    }
    return this.#count > 0;
  }

  #take(line: string): void {
    const message = parse(line);
    if (message === undefined) return;
    this.#count += 1;
    if (this.#count === 1) this.#first = message;
    else {
      this.#last = message;
      this.#onMessage(message);
    }
    this.#wake();
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }
}

/** undefined if it is not JSON: our own children print nothing else here, and a cut line carries nothing. */
const parse = (line: string): unknown => {
  try {
    const message: unknown = JSON.parse(line);
    return message;
  } catch {
    return undefined;
  }
};

const LINE_LENGTH_MAX = 64 * 1024;
