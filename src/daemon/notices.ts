// What a person should know about this daemon beyond its readings: a journal moved aside, a port that was taken, a
// config that does not parse. Shown everywhere until it is over.

import { problemText } from '../core/problem.ts';
import type { Notice } from '../wire/notice.ts';

/** More at once would hide what matters; the oldest is dropped. */
export const NOTICES_MAX = 32;

export class Notices {
  readonly #notices = new Map<string, Notice>();
  readonly #onRaise: (notice: Notice) => void;
  readonly #onClear: (notice: Notice) => void;

  constructor(onRaise: (notice: Notice) => void, onClear: (notice: Notice) => void = () => undefined) {
    this.#onRaise = onRaise;
    this.#onClear = onClear;
  }

  get all(): readonly Notice[] {
    return [...this.#notices.values()];
  }

  /** Replaces the one with the same id. */
  raise(notice: Notice): void {
    const existing = this.#notices.get(notice.id);
    if (existing !== undefined && problemText(existing) === problemText(notice)) return;
    this.#notices.delete(notice.id);
    this.#notices.set(notice.id, notice);
    const oldest = this.#notices.keys().next().value;
    if (this.#notices.size > NOTICES_MAX && oldest !== undefined) this.#notices.delete(oldest);
    this.#onRaise(notice);
  }

  clear(id: string): void {
    const existing = this.#notices.get(id);
    this.#notices.delete(id);
    if (existing !== undefined) this.#onClear(existing);
  }
}
