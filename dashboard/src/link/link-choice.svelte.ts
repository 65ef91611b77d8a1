// Which link the reader looks at: pointing shows for as long as one points, picking stays until it is let go.

/** A pointer on its way to something else points at nothing, ms. */
const POINT_MS = 120;

export class LinkChoice {
  picked: string | undefined = $state.raw(undefined);
  pointed: string | undefined = $state.raw(undefined);
  /** A node that one points at on a map of many: its links step forward. */
  node: string | undefined = $state.raw(undefined);
  #wait: ReturnType<typeof setTimeout> | undefined;

  get shown(): string | undefined {
    return this.pointed ?? this.picked;
  }

  /** A pointer came upon a link, or left one. */
  hover(key: string | undefined): void {
    clearTimeout(this.#wait);
    this.#wait = setTimeout(() => {
      this.pointed = key;
    }, POINT_MS);
  }

  /** The keyboard stands on a link, or has left it: that is never by the way. */
  focus(key: string | undefined): void {
    clearTimeout(this.#wait);
    this.pointed = key;
  }

  /** Picks a link, or lets it go where it is picked already. */
  pick(key: string): void {
    clearTimeout(this.#wait);
    this.pointed = undefined;
    this.picked = this.picked === key ? undefined : key;
  }

  release(): void {
    clearTimeout(this.#wait);
    this.pointed = undefined;
    this.picked = undefined;
  }
}
