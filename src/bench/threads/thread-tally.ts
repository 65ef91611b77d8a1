// One value of each load thread, and a promise of their sum. A lost thread must not block it forever: its watcher
// supplies a value instead, or ends the wait.

export class ThreadTally<Value, Sum> {
  readonly #threads: number;
  readonly #sumOf: (values: readonly Value[]) => Sum;
  readonly #reported: Map<number, Value> = new Map();
  readonly #sum = Promise.withResolvers<Sum>();
  readonly done: Promise<Sum> = this.#sum.promise;

  constructor(threads: number, sumOf: (values: readonly Value[]) => Sum) {
    this.#threads = threads;
    this.#sumOf = sumOf;
  }

  get isDone(): boolean {
    return this.#reported.size >= this.#threads;
  }

  get values(): readonly Value[] {
    return [...this.#reported.values()];
  }

  has(thread: number): boolean {
    return this.#reported.has(thread);
  }

  report(thread: number, value: Value): void {
    this.#reported.set(thread, value);
    if (this.isDone) this.#sum.resolve(this.#sumOf(this.values));
  }

  /** Does nothing if it is complete already. */
  resolveWith(sum: Sum): void {
    this.#sum.resolve(sum);
  }
}
