// A priority queue by time; equal times in the order in which they were added. A binary heap.

export class EarliestFirst<T> {
  readonly #timeOf: (item: T) => number;
  readonly #heap: { readonly item: T; readonly order: number }[] = [];
  #added = 0;

  constructor(timeOf: (item: T) => number) {
    this.#timeOf = timeOf;
  }

  get size(): number {
    return this.#heap.length;
  }

  get first(): T | undefined {
    return this.#heap[0]?.item;
  }

  count(matches: (item: T) => boolean): number {
    return this.#heap.reduce((sum, { item }) => sum + (matches(item) ? 1 : 0), 0);
  }

  add(item: T): void {
    const heap = this.#heap;
    heap.push({ item, order: this.#added });
    this.#added += 1;
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.item;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < heap.length && this.#isBefore(left, least)) least = left;
      if (right < heap.length && this.#isBefore(right, least)) least = right;
      if (least === at) return first.item;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return false;
    const [aAt, bAt] = [this.#timeOf(a.item), this.#timeOf(b.item)];
    return aAt < bAt || (aAt === bAt && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
