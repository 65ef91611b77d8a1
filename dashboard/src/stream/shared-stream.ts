// Owns the streams of a browser for all its tabs, one for each thing that tabs look at. It passes on the daemon's texts and reads
// none of them. The whole state stays open, so that a page that comes back has its picture at once; what only one page looks
// at ends with it.

import type { StreamLink } from './link.ts';
import type { StreamListener, StreamText, Tab, ToSharedStream, ToTab } from './port.ts';

/** Browsers open six connections to a host in all. */
export const SCOPES_MAX = 4;

interface Source {
  start(): void;
  stop(): void;
  /** Tries a lost connection at once. */
  retry(): void;
  /** Drops the connection and requests everything again. */
  restart(): void;
}

/** `scope`: the stream's query, '' for the whole state. */
type OpenSource = (listener: StreamListener, scope: string) => Source;

export class SharedStream {
  readonly #open: OpenSource;
  /** By scope, the one that was asked for last at the end. */
  readonly #feeds = new Map<string, StreamFeed>();
  readonly #scopeOf = new Map<Tab, string>();

  constructor(open: OpenSource) {
    this.#open = open;
  }

  receive(tab: Tab, message: ToSharedStream): void {
    const feed = this.#feeds.get(this.#scopeOf.get(tab) ?? '');
    switch (message.kind) {
      case 'watch':
        this.#watch(tab, this.#sharedScope(message.scope));
        break;
      case 'rest':
        feed?.rest(tab);
        break;
      case 'unreadable':
        feed?.unreadable(message.code, message.reason);
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
    const feed = existing ?? new StreamFeed(scope, this.#open);
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

// One stream of a browser for all tabs that look at the same. What has arrived since the connection began is stored as text, for
// a tab that begins to look later; if that is too much, such a tab gets a new connection.

/** Beyond these the oldest tabs are dropped; they may have died silently. */
const TABS_MAX = 64;
/** Of the texts after the first one: a tab reads and folds as much in about the time of a large snapshot. */
export const PAST_CHARACTERS_MAX = 4_000_000;

class StreamFeed implements StreamListener {
  readonly #source: Source;
  /** In the order in which they came; true while a tab is looking. */
  readonly #tabs = new Map<Tab, boolean>();
  /** Since the connection began; empty if that is too much. */
  #past: (StreamText & { readonly atMs: number })[] = [];
  #pastCharacters = 0;
  #isRestarting = false;
  /** It carries the whole state, or that of a group: what was asked for as a fleet may be too small to be one. */
  isOfState = false;
  #link: StreamLink = { kind: 'starting' };

  constructor(scope: string, open: OpenSource) {
    this.#source = open(this, scope);
  }

  get tabCount(): number {
    return this.#tabs.size;
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

  /** The stream is reopened, or given up if it uses another version. Of several tabs the first report counts. */
  unreadable(code: 'malformed' | 'version', reason: string): void {
    if (code === 'version') {
      this.#source.stop();
      this.link({ kind: 'outdated', reason });
    } else if (!this.#isRestarting) {
      this.#restart();
    }
  }

  text(text: StreamText, isFirst: boolean): void {
    this.isOfState = text.kind !== 'fleet';
    this.#isRestarting = false;
    this.#store(text, isFirst || text.kind === 'snapshot');
    this.#report(text);
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
    if (this.#past.length > 0)
      tab.post({
        kind: 'past',
        texts: this.#past.map(({ kind, text, atMs }) => ({ kind, text, agoMs: nowMs - atMs })),
      });
    tab.post({ kind: 'link', link: this.#link, nowMs });
    if (this.#link.kind === 'denied') this.#source.retry();
    else if (this.#link.kind === 'open' && this.#past.length === 0 && !this.#isRestarting) this.#restart();
  }

  #restart(): void {
    this.#isRestarting = true;
    this.#source.restart();
  }

  #store({ kind, text }: StreamText, isBegin: boolean): void {
    if (isBegin) {
      this.#past = [];
      this.#pastCharacters = 0;
    } else if (this.#past.length === 0) {
      return;
    } else {
      this.#pastCharacters += text.length;
    }
    this.#past.push({ kind, text, atMs: performance.now() });
    if (this.#pastCharacters > PAST_CHARACTERS_MAX) this.#past = [];
  }

  #report(message: ToTab): void {
    for (const [tab, isLooking] of this.#tabs) if (isLooking) tab.post(message);
  }
}
