// Items by the time at which each is due: a binary heap.

export class DueHeap<Item> {
  readonly #due: number[] = [];
  readonly #items: Item[] = [];

  get length(): number {
    return this.#items.length;
  }

  /** Infinity if there is none. */
  get firstDue(): number {
    return this.#at(0);
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item, due: number): void {
    this.#due.push(due);
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
  }

  /** The first is due again. */
  postponeFirst(due: number): void {
    this.#due[0] = due;
    this.#sink(0);
  }

  removeFirst(): void {
    const lastDue = this.#due.pop();
    const last = this.#items.pop();
    if (lastDue === undefined || last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.postponeFirst(lastDue);
  }

  /** Removes all others. */
  keep(isKept: (item: Item) => boolean): void {
    const [items, due] = [this.#items.slice(), this.#due.slice()];
    this.clear();
    for (const [index, item] of items.entries()) if (isKept(item)) this.add(item, due[index] ?? 0);
  }

  clear(): void {
    this.#due.length = 0;
    this.#items.length = 0;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= this.#at(index)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    while (true) {
      const left = 2 * index + 1;
      let least = index;
      if (this.#at(left) < this.#at(least)) least = left;
      if (this.#at(left + 1) < this.#at(least)) least = left + 1;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #at(index: number): number {
    return this.#due[index] ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [dueA, dueB] = [this.#due[a], this.#due[b]];
    const [itemA, itemB] = [this.#items[a], this.#items[b]];
    if (dueA === undefined || dueB === undefined || itemA === undefined || itemB === undefined) return;
    this.#due[a] = dueB;
    this.#due[b] = dueA;
    this.#items[a] = itemB;
    this.#items[b] = itemA;
  }
}
