// Invisible words need no update each second: rows outside the visible part of a list, and texts for screen readers on
// a map of hundreds. Visible items are updated at every count, the rest in turn, a tenth at each.

/** Each is updated at least once in so many counts. */
export const TURNS = 10;

export interface InTurnOptions<Item, ReportedState> {
  readonly keyOf: (item: Item, index: number) => string;
  readonly report: (item: Item) => ReportedState;
  readonly isSeen: (index: number) => boolean;
  /** All are updated when one of these has changed. */
  readonly basis: readonly unknown[];
}

export class InTurn<Item, ReportedState> {
  #reported: ReadonlyMap<string, ReportedState> = new Map();
  #basis: readonly unknown[] = [];
  #turn = 0;

  /** One an item; an item that is not updated is the same object as before. */
  read(
    items: readonly Item[],
    { keyOf, report, isSeen, basis }: InTurnOptions<Item, ReportedState>,
  ): readonly ReportedState[] {
    const isSame =
      basis.length === this.#basis.length && basis.every((part, index) => part === this.#basis[index]);
    const before = isSame ? this.#reported : new Map<string, ReportedState>();
    const reported = new Map<string, ReportedState>();
    this.#turn = (this.#turn + 1) % TURNS;
    const list = items.map((item, index) => {
      const key = keyOf(item, index);
      const previous = isSeen(index) || index % TURNS === this.#turn ? undefined : before.get(key);
      const now = previous ?? report(item);
      reported.set(key, now);
      return now;
    });
    this.#reported = reported;
    this.#basis = basis;
    return list;
  }
}
