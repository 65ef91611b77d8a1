// Bounds the answers that are made and not yet taken. An answer may be megabytes, and a client that asks and never
// reads keeps one in memory until its connection is given up.

import type { ServerResponse } from 'node:http';
import { RequestError } from './http-error.ts';

export class AnswerGate {
  readonly #answersMax: number;
  #unfinished = 0;

  constructor(answersMax: number) {
    this.#answersMax = answersMax;
  }

  /** @throws RequestError 503 while too many answers wait for their readers. */
  enter(response: ServerResponse): void {
    // A pipelined request waits behind one that is counted, and Node reads no third while the first is not taken.
    if (response.socket === null) return;
    if (this.#unfinished >= this.#answersMax) {
      throw new RequestError(
        { status: 503, code: 'too-busy', headers: { 'retry-after': '1' } },
        `${this.#answersMax} answers wait for readers that do not read. Try again in a second.`,
      );
    }
    this.#unfinished += 1;
    response.once('close', () => {
      this.#unfinished -= 1;
    });
  }
}
