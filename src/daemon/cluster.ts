// The one place where this process's state changes: events go in, the folded state and those events that changed it come
// out. Everything a person or a program sees is a view of this state.

import type { CatchUp } from '../core/apply.ts';
import type { Event } from '../core/event.ts';
import { Fold } from '../core/fold.ts';
import type { NodeId } from '../core/ids.ts';
import { LiveHistory } from '../core/live-history.ts';
import type { OriginProgress, State } from '../core/state.ts';

type ClusterListener = (events: readonly Event[]) => void;

export class Cluster {
  readonly history: LiveHistory = new LiveHistory();
  readonly #listeners = new Set<ClusterListener>();
  readonly #replacedListeners = new Set<() => void>();
  readonly #fold = new Fold();

  get state(): State {
    return this.#fold.state;
  }

  /** Maps of state copied so far: the cost of events, which tests compare with an exact count. */
  get copies(): number {
    return this.#fold.copies;
  }

  /** Of an origin, without reading the whole state. */
  progress(origin: NodeId): OriginProgress | undefined {
    return this.#fold.progress(origin);
  }

  /** Folds events in order. Listeners are called once, with those that changed something. */
  dispatch(events: readonly Event[]): void {
    const changing: Event[] = [];
    for (const event of events) {
      if (!this.#fold.take(event)) continue;
      this.history.record(event);
      changing.push(event);
    }
    if (changing.length === 0) return;
    for (const listener of this.#listeners) listener(changing);
  }

  /** Folds a journal's contents before there are listeners. */
  restore(catchUp: CatchUp): void {
    this.#fold.catchUp(catchUp);
  }

  /**
   * Folds a peer's reply, which may have holes: it cannot be followed event by event, so listeners read the state
   * again.
   */
  catchUp(answer: CatchUp): void {
    if (!this.#fold.catchUp(answer)) return;
    for (const listener of this.#replacedListeners) listener();
  }

  /** Live values of nodes that were removed. */
  dropLive(origins: readonly NodeId[]): void {
    if (!this.#fold.dropLive(origins)) return;
    for (const origin of origins) this.history.forget(origin);
    for (const listener of this.#replacedListeners) listener();
  }

  /** Everything of a node that was removed. */
  drop(origin: NodeId): void {
    if (!this.#fold.drop(origin)) return;
    this.history.forget(origin);
    for (const listener of this.#replacedListeners) listener();
  }

  /** A completely new state, as when a recording restarts: listeners read the state again. */
  replace(state: State): void {
    this.#fold.replace(state);
    for (const listener of this.#replacedListeners) listener();
  }

  /**
   * `onReplaced` is called when state has changed without events.
   * @returns the function that ends the subscription.
   */
  subscribe(listener: ClusterListener, onReplaced: () => void = () => undefined): () => void {
    this.#listeners.add(listener);
    this.#replacedListeners.add(onReplaced);
    return () => {
      this.#listeners.delete(listener);
      this.#replacedListeners.delete(onReplaced);
    };
  }
}
