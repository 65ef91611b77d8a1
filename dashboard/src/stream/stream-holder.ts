// Holds the streams of a browser for all its tabs, one for each thing that tabs look at. The whole state stays open, so that a
// page that comes back has its picture at once; what only one page looks at ends with it.

import type { Tab, ToHolder } from './port.ts';
import { StreamFeed } from './stream-feed.ts';

/** Browsers open six connections to a host in all. */
export const SCOPES_MAX = 4;

export class StreamHolder {
  /** By scope, the one that was asked for last at the end. */
  readonly #feeds = new Map<string, StreamFeed>();
  readonly #scopeOf = new Map<Tab, string>();

  receive(tab: Tab, message: ToHolder): void {
    const feed = this.#feeds.get(this.#scopeOf.get(tab) ?? '');
    switch (message.kind) {
      case 'watch':
        this.#watch(tab, this.#sharedScope(message.scope));
        break;
      case 'rest':
        feed?.rest(tab);
        break;
      case 'retry':
        feed?.retry();
        break;
      case 'leave':
        this.#leave(tab);
        break;
      default:
        message satisfies never;
    }
  }

  #watch(tab: Tab, scope: string): void {
    if (this.#scopeOf.get(tab) !== scope) this.#leave(tab);
    const held = this.#feeds.get(scope);
    const feed = held ?? new StreamFeed(scope);
    this.#feeds.delete(scope);
    this.#feeds.set(scope, feed);
    this.#scopeOf.set(tab, scope);
    if (held === undefined) feed.start();
    feed.admit(tab);
    this.#endOthers(scope);
  }

  /** A cluster that is too small to be a fleet is sent whole: then all pages share that stream. */
  #sharedScope(scope: string): string {
    if (!isWholeOrFleet(scope) || this.#feeds.get(scope)?.isOfState === true) return scope;
    for (const [other, feed] of this.#feeds)
      if (isWholeOrFleet(other) && other !== '' && feed.isOfState) return other;
    return scope;
  }

  #leave(tab: Tab): void {
    const scope = this.#scopeOf.get(tab);
    if (scope === undefined) return;
    this.#scopeOf.delete(tab);
    this.#feeds.get(scope)?.leave(tab);
    this.#endOthers(undefined);
  }

  /** Streams that nobody looks at, but for the last one of a state; past the maximum also the oldest. */
  #endOthers(kept: string | undefined): void {
    for (const [scope, feed] of [...this.#feeds]) {
      const isLast = this.#feeds.size === 1 && feed.isOfState;
      const isUnused = feed.tabCount === 0 && !isLast;
      if (scope !== kept && (isUnused || this.#feeds.size > SCOPES_MAX)) {
        feed.stop();
        this.#feeds.delete(scope);
      }
    }
  }
}

const isWholeOrFleet = (scope: string): boolean =>
  scope === '' || new URLSearchParams(scope).get('view') === 'fleet';
