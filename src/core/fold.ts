// State as one process folds it, event by event. Maps are copied once per read of the state, not once per
// event: a peer that sends its events one by one costs no more than one that sends them together, however
// many keys it has.

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

  /** False if it changed nothing. */
  take(event: Event): boolean {
    const before = this.#draft.changes;
    applyTo(this.#draft, event);
    return this.#draft.changes !== before;
  }

  /** False if it changed nothing. */
  catchUp(answer: CatchUp): boolean {
    const before = this.#draft.changes;
    catchUpTo(this.#draft, answer);
    return this.#draft.changes !== before;
  }

  /** Removes all live entries of these origins; false if there were none. */
  dropLive(origins: readonly NodeId[]): boolean {
    const before = this.#draft.changes;
    for (const origin of origins) dropLive(this.#draft, origin);
    return this.#draft.changes !== before;
  }

  /** Removes all entries of an origin; false if there were none. */
  drop(origin: NodeId): boolean {
    const before = this.#draft.changes;
    dropOrigin(this.#draft, origin);
    return this.#draft.changes !== before;
  }

  /** Replaces the state by another one. */
  replace(state: State): void {
    this.#draft = new Draft(state, { isBatch: true });
  }

  /**
   * How far an origin has been applied. May be called for every event, because it is not a read of the state.
   */
  progress(origin: NodeId): OriginProgress | undefined {
    return this.#draft.state.origins[origin];
  }
}
