// Subscribers of one happening, called in the order in which they came.

import type { Unsubscribe } from '../mesh.ts';

export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Unsubscribe {
    // A closure of its own: one function may subscribe twice.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  get size(): number {
    return this.#listeners.size;
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
