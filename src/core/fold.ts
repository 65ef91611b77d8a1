// State as one process folds it, event after event. Maps are copied once for every look at the state, not once an event: a
// peer that sends its events one by one costs no more than one that sends them together, however many keys it has.

import { applyTo, type CatchUp, catchUpTo, dropLive, dropOrigin } from './apply.ts';
import { Draft } from './draft.ts';
import type { Event } from './event.ts';
import type { NodeId } from './ids.ts';
import { EMPTY_STATE, type OriginProgress, type State } from './state.ts';

export class Fold {
  #draft = new Draft(EMPTY_STATE, { isBatch: true });

  /** Immutable from now on: the next event copies what it changes. */
  get state(): State {
    this.#draft.release();
    return this.#draft.state;
  }

  /** Maps copied so far. */
  get copies(): number {
    return this.#draft.copies;
  }

  /** False where it changed nothing. */
  take(event: Event): boolean {
    const before = this.#draft.changes;
    applyTo(this.#draft, event);
    return this.#draft.changes !== before;
  }

  /** Likewise. */
  catchUp(answer: CatchUp): boolean {
    const before = this.#draft.changes;
    catchUpTo(this.#draft, answer);
    return this.#draft.changes !== before;
  }

  /** Everything live of these origins; false where there was nothing. */
  dropLive(origins: readonly NodeId[]): boolean {
    const before = this.#draft.changes;
    for (const origin of origins) dropLive(this.#draft, origin);
    return this.#draft.changes !== before;
  }

  /** Everything of an origin; false where there was nothing. */
  drop(origin: NodeId): boolean {
    const before = this.#draft.changes;
    dropOrigin(this.#draft, origin);
    return this.#draft.changes !== before;
  }

  /** Another state altogether. */
  replace(state: State): void {
    this.#draft = new Draft(state, { isBatch: true });
  }

  /** How far an origin has been applied; for whoever asks with every event, because it is no look at the state. */
  progress(origin: NodeId): OriginProgress | undefined {
    return this.#draft.state.origins[origin];
  }
}
