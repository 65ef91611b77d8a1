// Background tasks in addition to the records of a run, such as counting the tokens of a text: counted, so that a
// snapshot can state what is still missing, and cancelled when the drain takes too long.

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

  /** Cancelled tasks stay in `count`: their results are missing, and the report has to state it. */
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
    // A task that finishes in spite of its cancellation has changed what the final report had counted already.
    if (signal.aborted) return;
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
