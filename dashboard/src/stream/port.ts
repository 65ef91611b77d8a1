// The messages between a tab and the owner of the stream. The owner is a shared worker, or the tab itself if there
// is none. It passes on the daemon's own texts; only the tab reads them.

import type { StreamMessageError } from '../../../src/wire/stream-message.ts';
import type { StreamLink } from './link.ts';

/** 'fleet': a picture of a fleet, or what has changed in it. */
export const STREAM_TEXT_KINDS = ['snapshot', 'batch', 'fleet'] as const;

export interface StreamText {
  readonly kind: (typeof STREAM_TEXT_KINDS)[number];
  readonly text: string;
}

export type ToTab =
  | StreamText
  /** All that a tab needs that has just begun to look, in order, and how long ago each arrived, ms. */
  | { readonly kind: 'past'; readonly texts: readonly (StreamText & { readonly agoMs: number })[] }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'link'; readonly link: StreamLink; readonly nowMs: number };

export type ToSharedStream =
  /** The tab is looking: send a snapshot now, then batches. `scope`: the stream's query, '' for the whole state. */
  | { readonly kind: 'watch'; readonly scope: string }
  /** The tab is hidden: send nothing until it watches again. */
  | { readonly kind: 'rest' }
  /** The tab cannot read what it was sent. */
  | { readonly kind: 'unreadable'; readonly code: StreamMessageError['code']; readonly reason: string }
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

/** Receives what comes from the daemon. */
export interface StreamListener {
  /** `isFirst`: of a connection, which begins with all that a reader needs. */
  text(text: StreamText, isFirst: boolean): void;
  heartbeat(): void;
  link(link: StreamLink): void;
}
