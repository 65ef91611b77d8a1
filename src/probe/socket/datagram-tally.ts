// What arrived of one train of numbered datagrams: how many, and how many of them out of order, by RFC 4737 §3: a datagram is
// reordered if its number is less than the greatest that came before it. A duplicate counts as neither.

export class DatagramTally {
  readonly #arrived = new Set<number>();
  #next = 0;
  #reordered = 0;

  /** @param number of the datagram in its train, from 0 */
  add(number: number): void {
    if (number >= DATAGRAMS_MAX || this.#arrived.has(number)) return;
    this.#arrived.add(number);
    if (number < this.#next) this.#reordered += 1;
    else this.#next = number + 1;
  }

  get count(): number {
    return this.#arrived.size;
  }

  get reordered(): number {
    return this.#reordered;
  }

  has(number: number): boolean {
    return this.#arrived.has(number);
  }
}

/** Of one train. */
export const DATAGRAMS_MAX: number = 4_096;
