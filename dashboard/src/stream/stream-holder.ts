// Holds the one stream of a browser for all its tabs: folds the events with the core's own apply, answers a new tab with
// a snapshot at once, and passes on every batch to the tabs that are looking.

import { applyAll } from '../../../src/core/apply.ts';
import type { SnapshotMessage } from '../../../src/wire/stream-message.ts';
import {
  decodeBatch,
  decodeSnapshot,
  encodeSnapshot,
  StreamMessageError,
} from '../../../src/wire/stream-message.ts';
import type { Link } from './link.ts';
import type { Tab, ToHolder, ToTab } from './port.ts';
import type { StreamListener } from './stream-source.ts';
import { StreamSource } from './stream-source.ts';

/** Tabs beyond these are the oldest ones, which may have died without a word. */
export const TABS_MAX = 64;

export class StreamHolder implements StreamListener {
  readonly #source: StreamSource = new StreamSource(this);
  /** In the order in which they came; true while a tab is looking. */
  readonly #tabs = new Map<Tab, boolean>();
  #held: SnapshotMessage | undefined;
  #link: Link = { kind: 'starting' };

  start(): void {
    this.#source.start();
  }

  stop(): void {
    this.#source.stop();
  }

  receive(tab: Tab, message: ToHolder): void {
    switch (message.kind) {
      case 'watch':
        this.#admit(tab);
        break;
      case 'rest':
        if (this.#tabs.has(tab)) this.#tabs.set(tab, false);
        break;
      case 'retry':
        this.#source.retry();
        break;
      case 'leave':
        this.#tabs.delete(tab);
        break;
      default:
        message satisfies never;
    }
  }

  snapshot(text: string): void {
    if (!this.#decode(() => decodeSnapshot(text, performance.now()))) return;
    this.#tell({ kind: 'snapshot', text });
  }

  batch(text: string): void {
    const held = this.#held;
    if (held === undefined) return;
    const isRead = this.#decode(() => {
      const { events } = decodeBatch(text, performance.now());
      return { ...held, state: applyAll(held.state, events) };
    });
    if (isRead) this.#tell({ kind: 'batch', text });
  }

  heartbeat(): void {
    this.#tell({ kind: 'heartbeat' });
  }

  link(link: Link): void {
    const isNews = link.kind !== 'open' || this.#link.kind !== 'open';
    this.#link = link;
    if (isNews) this.#tell({ kind: 'link', link, nowMs: performance.now() });
  }

  #admit(tab: Tab): void {
    this.#tabs.delete(tab);
    this.#tabs.set(tab, true);
    const [oldest] = this.#tabs.keys();
    if (this.#tabs.size > TABS_MAX && oldest !== undefined) this.#tabs.delete(oldest);
    const nowMs = performance.now();
    if (this.#held !== undefined)
      tab.post({ kind: 'snapshot', text: encodeSnapshot({ ...this.#held, nowMs }) });
    tab.post({ kind: 'link', link: this.#link, nowMs });
    if (this.#link.kind === 'denied') this.#source.retry();
  }

  #decode(read: () => SnapshotMessage): boolean {
    try {
      this.#held = read();
      return true;
    } catch (error) {
      if (!(error instanceof StreamMessageError)) throw error;
      if (error.code === 'version') {
        this.#source.stop();
        this.link({ kind: 'outdated', reason: error.message });
      } else {
        this.#source.restart();
      }
      return false;
    }
  }

  #tell(message: ToTab): void {
    for (const [tab, isLooking] of this.#tabs) if (isLooking) tab.post(message);
  }
}
