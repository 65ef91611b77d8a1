// The last N texts, to notice one that comes again. The oldest is forgotten first.

export class RecentTexts {
  readonly #max: number;
  readonly #texts = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** @returns false when it was there already. */
  add(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    const [oldest] = this.#texts;
    if (this.#texts.size > this.#max && oldest !== undefined) this.#texts.delete(oldest);
    return true;
  }
}
