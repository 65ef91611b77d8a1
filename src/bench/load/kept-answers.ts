// Answers of servers in open sessions, for the histories of their later turns.

import type { TurnPlace } from '../schedule/turn-table.ts';

export class KeptAnswers {
  readonly #sessions: Map<number, Map<number, Uint8Array>> = new Map();
  #bytes = 0;

  /** @returns false if the limit is reached */
  keep({ session, turn }: TurnPlace, answer: Uint8Array): boolean {
    if (this.#bytes + answer.length > ANSWERS_BYTES_MAX) return false;
    const kept = this.#sessions.get(session) ?? new Map<number, Uint8Array>();
    this.#sessions.set(session, kept.set(turn, answer));
    this.#bytes += answer.length;
    return true;
  }

  of({ session, turn }: TurnPlace): Uint8Array | undefined {
    return this.#sessions.get(session)?.get(turn);
  }

  forget(session: number): void {
    for (const answer of this.#sessions.get(session)?.values() ?? []) this.#bytes -= answer.length;
    this.#sessions.delete(session);
  }
}

/** Limit over all open sessions of one load thread. */
const ANSWERS_BYTES_MAX: number = 268_435_456;
