// The subscriber of a viewer: the newest snapshot, and the final one for those who wait for it.

import type { Clock } from '../clock/clock.ts';
import type { MetricsSnapshot } from '../core/run/snapshot.ts';
import type { MessageSubscriber } from '../messaging/subscriber.ts';

export class MetricsSnapshotSubscriber implements AsyncDisposable {
  readonly #subscriber: MessageSubscriber<MetricsSnapshot>;
  readonly #clock: Clock;
  readonly #onSnapshot: (snapshot: MetricsSnapshot) => void;
  readonly #final = Promise.withResolvers<void>();
  readonly #reading: Promise<void>;
  #latest: MetricsSnapshot | undefined;
  #complete: MetricsSnapshot | undefined;

  constructor(
    parts: { readonly subscriber: MessageSubscriber<MetricsSnapshot>; readonly clock: Clock },
    onSnapshot: (snapshot: MetricsSnapshot) => void = () => {},
  ) {
    this.#subscriber = parts.subscriber;
    this.#clock = parts.clock;
    this.#onSnapshot = onSnapshot;
    this.#reading = this.#read();
    this.#reading.catch(() => {}); // reported by close() and to callers that are waiting
  }

  get latest(): MetricsSnapshot | undefined {
    return this.#latest;
  }

  /** The final snapshot: state complete or interrupted. */
  get complete(): MetricsSnapshot | undefined {
    return this.#complete;
  }

  /** The final snapshot, or undefined when none came in time or none can come any more. Rejects with the signal's reason. */
  async waitForComplete(timeoutMs: number, signal: AbortSignal): Promise<MetricsSnapshot | undefined> {
    signal.throwIfAborted();
    if (this.#complete !== undefined) return this.#complete;
    const over = new AbortController();
    const patience = this.#clock
      .sleep(timeoutMs, AbortSignal.any([signal, over.signal]))
      .catch(() => signal.throwIfAborted());
    try {
      await Promise.race([this.#final.promise, this.#reading, patience]);
    } finally {
      over.abort();
    }
    return this.#complete;
  }

  /** Rejects with the error of reading, if there was one. */
  async close(): Promise<void> {
    await this.#subscriber.close();
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<void> {
    for await (const snapshot of this.#subscriber.items) {
      // Numbers increase; a snapshot that arrives late or after the final one is outdated.
      if (this.#complete !== undefined || snapshot.seq <= (this.#latest?.seq ?? 0)) continue;
      this.#latest = snapshot;
      if (snapshot.state === 'complete' || snapshot.state === 'interrupted') {
        this.#complete = snapshot;
        this.#final.resolve();
      }
      this.#onSnapshot(snapshot);
    }
  }
}
