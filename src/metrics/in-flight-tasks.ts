// Work that goes on beside the records of a run (counting tokens of a text, say): counted, so that a snapshot can say
// what is still missing, and ended when the drain takes too long.

export class InFlightTasks {
  readonly #controller = new AbortController();
  readonly #idle: (() => void)[] = [];
  readonly #onFailure: (error: unknown) => void;
  #count = 0;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get count(): number {
    return this.#count;
  }

  /** The task ends within a second of its signal. Nothing is started once all were cancelled; that stays pending. */
  start(task: (signal: AbortSignal) => Promise<void>): void {
    this.#count += 1;
    if (this.#controller.signal.aborted) return;
    void this.#run(task);
  }

  /** Resolves when nothing is in flight. */
  whenIdle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise(resolve => this.#idle.push(resolve));
  }

  /** What was cancelled stays in `count`: its result is missing, and the account has to say so. */
  cancelAll(): void {
    this.#controller.abort();
  }

  async #run(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#controller;
    try {
      await task(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#onFailure(error);
    }
    // One that finishes although it was cancelled has changed what the final account had counted already.
    if (signal.aborted) return;
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
