// The one place where this process's state changes: events go in, the folded state and those events that changed it come
// out. Everything a person or a program sees is a view of what is held here.

import type { CatchUp } from '../core/apply.ts';
import type { Event } from '../core/event.ts';
import { Fold } from '../core/fold.ts';
import { LiveHistory } from '../core/history/live-history.ts';
import type { NodeId } from '../core/ids.ts';
import type { OriginProgress, State } from '../core/state.ts';

export type ClusterListener = (events: readonly Event[]) => void;

export class Cluster {
  readonly history: LiveHistory = new LiveHistory();
  readonly #listeners = new Set<ClusterListener>();
  readonly #replacedListeners = new Set<() => void>();
  readonly #fold = new Fold();

  get state(): State {
    return this.#fold.state;
  }

  /** Maps of state that were copied so far: what an event costs, which tests hold to a count. */
  get copies(): number {
    return this.#fold.copies;
  }

  /** Of an origin, without a look at the whole state. */
  progress(origin: NodeId): OriginProgress | undefined {
    return this.#fold.progress(origin);
  }

  /** Folds events in order. Listeners hear of those that changed something, once for all of them. */
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

  /** Folds a journal's answer before anybody listens. */
  restore(catchUp: CatchUp): void {
    this.#fold.catchUp(catchUp);
  }

  /** Folds a peer's answer, which may have holes: nobody can follow that event by event, so listeners look again. */
  catchUp(answer: CatchUp): void {
    if (!this.#fold.catchUp(answer)) return;
    for (const listener of this.#replacedListeners) listener();
  }

  /** Live values of nodes that are held no more. */
  dropLive(origins: readonly NodeId[]): void {
    if (!this.#fold.dropLive(origins)) return;
    for (const origin of origins) this.history.forget(origin);
    for (const listener of this.#replacedListeners) listener();
  }

  /** Everything of a node that is held no more. */
  drop(origin: NodeId): void {
    if (!this.#fold.drop(origin)) return;
    this.history.forget(origin);
    for (const listener of this.#replacedListeners) listener();
  }

  /** Another state altogether, as when a recording begins again: listeners look again. */
  replace(state: State): void {
    this.#fold.replace(state);
    for (const listener of this.#replacedListeners) listener();
  }

  /**
   * `onReplaced` is called when state has changed in a way that no events tell.
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
