// What a server answered, where the next turn of the conversation repeats it. Nothing is kept unless it is wanted, and no more
// than a bound.

export class AnswerText {
  /** Whether what comes is kept. */
  isKept = false;
  #text = '';
  #isTooLong = false;

  /** More came than is kept: it is no history for anybody. */
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

/** Of one answer: some 250,000 tokens. */
export const ANSWER_CHARACTERS_MAX: number = 1_048_576;
