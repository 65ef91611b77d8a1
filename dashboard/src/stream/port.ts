// The messages between a tab and the owner of the stream. The owner is a shared worker, or the tab itself if there
// is none. Snapshots and batches pass as the daemon's own text, so both ends decode them in the same way.

import type { StreamLink } from './link.ts';

export type ToTab =
  | { readonly kind: 'snapshot'; readonly text: string }
  /** Other events are drawn sooner than regular readings. */
  | { readonly kind: 'batch'; readonly text: string; readonly hasNews: boolean }
  /** A picture of a fleet, or what has changed in it. */
  | { readonly kind: 'fleet'; readonly text: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'link'; readonly link: StreamLink; readonly nowMs: number };

export type ToSharedStream =
  /** The tab is looking: send a snapshot now, then batches. `scope`: the stream's query, '' for the whole state. */
  | { readonly kind: 'watch'; readonly scope: string }
  /** The tab is hidden: send nothing until it watches again. */
  | { readonly kind: 'rest' }
  /** Try a lost stream at once. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'leave' };

export interface StreamPort {
  post(message: ToSharedStream): void;
}

/** Receives the messages of the owner of the stream. */
export interface Tab {
  post(message: ToTab): void;
}
