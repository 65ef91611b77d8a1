// The text and the tool calls of an answer, assembled from its pieces, if it is to be checked. Nothing is stored
// unless it is needed, and no more than a limit.

export interface CalledTool {
  /** '' if the server sent none. */
  id: string;
  name: string;
  argumentsText: string;
}

export class AnswerParts {
  /** Whether content is stored. */
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
    // An empty call takes room, too.
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
