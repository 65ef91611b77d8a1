// What an answer says and which tools it calls, put together from its pieces, where it is to be checked. Nothing is kept unless it
// is wanted, and no more than a bound.

import { ANSWER_CHARACTERS_MAX } from './answer-text.ts';

export interface CalledTool {
  /** '': the server gave none. */
  id: string;
  name: string;
  argumentsText: string;
}

export class AnswerParts {
  /** Whether what comes is kept. */
  isKept = false;
  text = '';
  isTooLong = false;
  readonly #calls = new Map<number, CalledTool>();
  #length = 0;

  get calls(): readonly CalledTool[] {
    return [...this.#calls.values()];
  }

  addText(piece: string): void {
    if (this.#hasRoom(piece.length)) this.text += piece;
  }

  /** A name comes once, arguments in pieces. */
  addCall(index: number, name: string, argumentsText: string, id = ''): void {
    // A call of nothing takes room too.
    if (!this.#hasRoom(name.length + argumentsText.length + 1)) return;
    const call = this.#calls.get(index) ?? { id: '', name: '', argumentsText: '' };
    this.#calls.set(index, call);
    call.id ||= id;
    call.name ||= name;
    call.argumentsText += argumentsText;
  }

  reset(): void {
    this.text = '';
    this.isTooLong = false;
    this.#length = 0;
    this.#calls.clear();
  }

  #hasRoom(length: number): boolean {
    this.#length += length;
    if (this.#length > ANSWER_CHARACTERS_MAX) this.isTooLong = true;
    return !this.isTooLong;
  }
}
