// The link that the reader looks at: hovering is temporary, picking stays until released. The
// picked link is in the address.

/** A pointer must rest this long before it counts, ms. */
const POINT_MS = 120;

/** Where the key of the picked link is kept. */
interface PickedLink {
  read(): string | undefined;
  write(key: string | undefined): void;
}

export class LinkChoice {
  pointed: string | undefined = $state.raw(undefined);
  readonly #store: PickedLink;
  #wait: ReturnType<typeof setTimeout> | undefined;

  constructor(store: PickedLink) {
    this.#store = store;
  }

  get picked(): string | undefined {
    return this.#store.read();
  }

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

  /** A link gets or loses keyboard focus: that always counts at once. */
  focus(key: string | undefined): void {
    clearTimeout(this.#wait);
    this.pointed = key;
  }

  /** Picks a link, or lets it go where it is picked already. */
  pick(key: string): void {
    clearTimeout(this.#wait);
    this.pointed = undefined;
    this.#store.write(this.picked === key ? undefined : key);
  }

  release(): void {
    clearTimeout(this.#wait);
    this.pointed = undefined;
    if (this.picked !== undefined) this.#store.write(undefined);
  }
}
