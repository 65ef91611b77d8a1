// Which subscribers are known to receive, and which of them have confirmed the end of the stream. Subscribers
// name themselves with a random id.

import { MessagingError } from './messaging-error.ts';

export class SubscriberPresence {
  readonly #present = new Set<string>();
  readonly #confirmed = new Set<string>();
  readonly #watchers = new Set<() => void>();
  #isClosed = false;

  get count(): number {
    return this.#present.size;
  }

  get isEndConfirmed(): boolean {
    return [...this.#present].every(id => this.#confirmed.has(id));
  }

  arrive(id: string): void {
    if (this.#present.size < SUBSCRIBERS_MAX) this.#present.add(id);
    this.#changed();
  }

  leave(id: string): void {
    this.#present.delete(id);
    this.#confirmed.delete(id);
    this.#changed();
  }

  confirmEnd(id: string): void {
    if (this.#present.has(id)) this.#confirmed.add(id);
    this.#changed();
  }

  close(): void {
    this.#isClosed = true;
    this.#changed();
  }

  /** @throws the signal's reason, or a MessagingError when the publisher closes first. */
  async waitFor(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isReached()) {
      signal.throwIfAborted();
      if (this.#isClosed) throw new MessagingError('closed', 'the publisher was closed');
      await this.#change(signal);
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const settle = (): void => {
        this.#watchers.delete(settle);
        signal.removeEventListener('abort', settle);
        resolve();
      };
      this.#watchers.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const SUBSCRIBERS_MAX = 1_024;
