// Limits concurrent dials; first come, first served.

export class DialSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release();
        isHeld = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(grant);
        reject(signal.reason);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      this.#waiting.add(grant);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
