// A server's answer, if the next turn of the conversation repeats it. Nothing is stored unless it is needed, and no
// more than a limit.

export class AnswerText {
  /** Whether content is stored. */
  isKept = false;
  #text = '';
  #isTooLong = false;

  /** More arrived than is stored: it cannot be used as history. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  get text(): string {
    return this.#text;
  }

  add(piece: string): void {
    if (!this.isKept || this.#isTooLong) return;
    if (this.#text.length + piece.length > ANSWER_CHARACTERS_MAX) {
      this.#isTooLong = true;
      this.#text = '';
    } else this.#text += piece;
  }

  reset(): void {
    this.#text = '';
    this.#isTooLong = false;
  }
}

/** Limit of one answer: some 250,000 tokens. */
export const ANSWER_CHARACTERS_MAX: number = 1_048_576;
