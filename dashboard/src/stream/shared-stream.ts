// Holds the streams of a browser for all its tabs, one for each thing that tabs look at. The whole state stays open, so that a
// page that comes back has its picture at once; what only one page looks at ends with it.

import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import type { FleetPicture } from '../../../src/core/fleet/fleet-picture.ts';
import {
  decodeFleet,
  encodeFleet,
  type FleetLists,
  type FleetMessage,
  foldedPicture,
  listsOf,
  writtenLists,
  writtenPicture,
} from '../../../src/wire/fleet-message.ts';
import {
  decodeBatch,
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotMessage,
  StreamMessageError,
} from '../../../src/wire/stream-message.ts';
import { isNews } from './beat.ts';
import type { StreamLink } from './link.ts';
import type { Tab, ToSharedStream, ToTab } from './port.ts';
import { type StreamListener, StreamSource } from './stream-source.ts';

/** Browsers open six connections to a host in all. */
export const SCOPES_MAX = 4;

export class SharedStream {
  /** By scope, the one that was asked for last at the end. */
  readonly #feeds = new Map<string, StreamFeed>();
  readonly #scopeOf = new Map<Tab, string>();

  receive(tab: Tab, message: ToSharedStream): void {
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
    const existing = this.#feeds.get(scope);
    const feed = existing ?? new StreamFeed(scope);
    this.#feeds.delete(scope);
    this.#feeds.set(scope, feed);
    this.#scopeOf.set(tab, scope);
    if (existing === undefined) feed.start();
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

// One stream of a browser for all tabs that look at the same: folds the events with the core's own apply, answers a new tab
// with a snapshot at once, and passes on every batch to the tabs that are looking.

/** Beyond these the oldest tabs are dropped; they may have died silently. */
const TABS_MAX = 64;
/** Events wait so long to be folded unless a tab asks: many at once take less than few many times, ms. */
const FOLD_MS = 2_000;

class StreamFeed implements StreamListener {
  readonly #source: StreamSource;
  /** In the order in which they came; true while a tab is looking. */
  readonly #tabs = new Map<Tab, boolean>();
  #latest: SnapshotMessage | undefined;
  #fleet: FleetState | undefined;
  /** Not yet folded into the snapshot. */
  #events: (readonly Event[])[] = [];
  #foldedAtMs = 0;
  #link: StreamLink = { kind: 'starting' };

  /** @param scope the stream's query, '' for the whole state. */
  constructor(scope: string) {
    this.#source = new StreamSource(this, scope);
  }

  get tabCount(): number {
    return this.#tabs.size;
  }

  /** It carries the whole state, or that of a group: what was asked for as a fleet may be too small to be one. */
  get isOfState(): boolean {
    return this.#latest !== undefined;
  }

  start(): void {
    this.#source.start();
  }

  stop(): void {
    this.#source.stop();
  }

  rest(tab: Tab): void {
    if (this.#tabs.has(tab)) this.#tabs.set(tab, false);
  }

  leave(tab: Tab): void {
    this.#tabs.delete(tab);
  }

  retry(): void {
    this.#source.retry();
  }

  snapshot(text: string): void {
    const decoded = this.#decode(() => decodeSnapshot(text, performance.now()));
    if (decoded === undefined) return;
    this.#latest = decoded;
    this.#fleet = undefined;
    this.#events = [];
    this.#report({ kind: 'snapshot', text });
  }

  batch(text: string): void {
    if (this.#latest === undefined) return;
    const nowMs = performance.now();
    const events = this.#decode(() => decodeBatch(text, nowMs))?.events;
    if (events === undefined) return;
    this.#events.push(events);
    if (nowMs - this.#foldedAtMs >= FOLD_MS) this.#fold(nowMs);
    this.#report({ kind: 'batch', text, hasNews: events.some(isNews) });
  }

  fleet(text: string): void {
    const message = this.#decode(() => decodeFleet(text, performance.now()));
    if (message === undefined) return;
    const picture = foldedPicture(this.#fleet?.picture, message);
    this.#latest = undefined;
    this.#fleet = { head: message, picture, lists: { ...this.#fleet?.lists, ...listsOf(message.parts) } };
    this.#report({ kind: 'fleet', text });
  }

  heartbeat(): void {
    this.#report({ kind: 'heartbeat' });
  }

  link(link: StreamLink): void {
    const isNews = link.kind !== 'open' || this.#link.kind !== 'open';
    this.#link = link;
    if (isNews) this.#report({ kind: 'link', link, nowMs: performance.now() });
  }

  admit(tab: Tab): void {
    this.#tabs.delete(tab);
    this.#tabs.set(tab, true);
    const [oldest] = this.#tabs.keys();
    if (this.#tabs.size > TABS_MAX && oldest !== undefined) this.#tabs.delete(oldest);
    const nowMs = performance.now();
    this.#fold(nowMs);
    if (this.#latest !== undefined)
      tab.post({ kind: 'snapshot', text: encodeSnapshot({ ...this.#latest, nowMs }).text });
    if (this.#fleet !== undefined) tab.post({ kind: 'fleet', text: wholeFleet(this.#fleet, nowMs) });
    tab.post({ kind: 'link', link: this.#link, nowMs });
    if (this.#link.kind === 'denied') this.#source.retry();
  }

  #fold(nowMs: number): void {
    if (this.#latest !== undefined)
      this.#latest = { ...this.#latest, state: applyAll(this.#latest.state, this.#events.flat()) };
    this.#events = [];
    this.#foldedAtMs = nowMs;
  }

  /** Undefined for what cannot be read: the stream is reopened, or given up if it uses another version. */
  #decode<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StreamMessageError)) throw error;
      if (error.code === 'version') {
        this.#source.stop();
        this.link({ kind: 'outdated', reason: error.message });
      } else {
        this.#source.restart();
      }
      return undefined;
    }
  }

  #report(message: ToTab): void {
    for (const [tab, isLooking] of this.#tabs) if (isLooking) tab.post(message);
  }
}

interface FleetState {
  readonly head: Omit<FleetMessage, 'parts'>;
  readonly picture: FleetPicture | undefined;
  readonly lists: FleetLists;
}

/** All that was folded, for a tab that comes later. */
const wholeFleet = ({ head, picture, lists }: FleetState, nowMs: number): string => {
  const { daemonStart, nodeId, plimsollVersion } = head;
  return encodeFleet(
    { daemonStart, nodeId, plimsollVersion, nowMs, isWhole: true },
    new Map([...(picture === undefined ? [] : writtenPicture(picture)), ...writtenLists(lists)]),
  );
};
