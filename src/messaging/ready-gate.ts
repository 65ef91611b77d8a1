// Opens once, when a subscriber has seen that messages arrive.

import { MessagingError } from './messaging-error.ts';

export class ReadyGate {
  readonly #waiters = new Set<() => void>();
  #state: 'shut' | 'open' | 'closed' = 'shut';

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  open(): void {
    this.#settle('open');
  }

  /** Waiting callers get the error that the subscriber is closed. */
  close(): void {
    this.#settle('closed');
  }

  /** @throws the signal's reason, or a MessagingError when the subscriber closes first. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#state === 'shut') {
      signal.throwIfAborted();
      await new Promise<void>(resolve => {
        const settle = (): void => {
          this.#waiters.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve();
        };
        this.#waiters.add(settle);
        signal.addEventListener('abort', settle, { once: true });
      });
    }
    if (this.#state === 'open') return;
    signal.throwIfAborted();
    throw new MessagingError('closed', 'the subscriber was closed before anything arrived');
  }

  #settle(state: 'open' | 'closed'): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    for (const waiter of [...this.#waiters]) waiter();
  }
}
