// Things with a lifetime, ended in reverse order of their start. `AsyncDisposableStack` would do, but not every
// supported runtime has it.

export class Lifetimes implements AsyncDisposable {
  #ends: (() => void | Promise<void>)[] = [];

  add<T extends Disposable>(owned: T): T {
    this.defer(() => owned[Symbol.dispose]());
    return owned;
  }

  addAsync<T extends AsyncDisposable>(owned: T): T {
    this.defer(async () => owned[Symbol.asyncDispose]());
    return owned;
  }

  defer(end: () => void | Promise<void>): void {
    this.#ends.push(end);
  }

  /** Hands everything over to a new owner. */
  move(): Lifetimes {
    const next = new Lifetimes();
    next.#ends = this.#ends;
    this.#ends = [];
    return next;
  }

  /** Ends all, even if one fails; the first failure is thrown afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ends = this.#ends.toReversed();
    this.#ends = [];
    const failures: unknown[] = [];
    for (const end of ends) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
