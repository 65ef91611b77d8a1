// The records that a load thread sends to its parse thread, in the order in which things happened. No text but an
// error's detail, no JSON.

import type { TimeoutPhase } from '../../core/run/outcome.ts';

/** Types of ring records; 0 is the ring's pad. */
export const RECORD = {
  /** A request was written, or could not be. Payload f64: intended, connectNs, heldBackNs, isWarmup, writeNs, address. */
  issued: 1,
  /** The head of the reply. Payload f64: firstByteNs, status, content kind, HEAD_MARK bits; then the encoding or the location. */
  head: 2,
  /** Body bytes of one read; the stamp is the read's. */
  body: 3,
  /** Payload f64: end code, bytesSent, bytesReceived, firstByteNs, detail bytes; then the detail in UTF-8. */
  end: 4,
  /** Payload f64: the figures of a ClientRecord in their order, `atNs` left out. */
  observed: 5,
  /** Payload f64: how late each heartbeat came, ns. */
  beats: 9,
  /** Payload f64: how late the thread woke for each mark, ns. */
  marks: 10,
  /** All samples of this thread are issued. */
  issuingEnded: 6,
  /** All samples of this thread have ended; nothing follows. */
  ended: 7,
  /** All warm-up samples of this thread have ended. */
  warmedUp: 8,
  /** A turn that will never be issued. Payload f64: its index in SKIP_REASONS, isWarmup. */
  skipped: 11,
} as const;

/** How the transport of a reply ended; the outcome of the sample depends on its content. */
export const END_KINDS = [
  'whole',
  'connect',
  'tls',
  'timeout-connect',
  'timeout-first-byte',
  'timeout-idle',
  'timeout-total',
  'reset',
  'truncated',
  'malformed',
  'client',
  'cancelled',
  'cancelled-as-planned',
  'cancelled-after-grace',
] as const;

export type EndKind = (typeof END_KINDS)[number];

export type Milestone = typeof RECORD.issuingEnded | typeof RECORD.ended | typeof RECORD.warmedUp;

/** By this client, on purpose. */
export const isCancelled = (kind: EndKind): boolean =>
  kind === 'cancelled' || kind === 'cancelled-as-planned' || kind === 'cancelled-after-grace';

export const timeoutPhaseOf = (kind: EndKind): TimeoutPhase | undefined => {
  switch (kind) {
    case 'timeout-connect':
      return 'connect';
    case 'timeout-first-byte':
      return 'first-byte';
    case 'timeout-idle':
      return 'idle';
    case 'timeout-total':
      return 'total';
    default:
      return undefined;
  }
};

export const CONTENT_KINDS = ['event-stream', 'json', 'other', 'missing', 'json-lines'] as const;

/** The parts of a reply's head that its record contains. */
export interface RecordedHead {
  readonly status: number;
  readonly contentKind: (typeof CONTENT_KINDS)[number];
  /** '' if there is none. */
  readonly contentEncoding: string;
  /** '' if there is none. */
  readonly location: string;
  readonly hasRetryAfter: boolean;
}

export const HEAD_MARK = { isEncoded: 1, hasRetryAfter: 2 } as const;

/**
 * Room that body bytes leave for the records that end samples, so that a full ring loses bytes and never an outcome: at
 * most an eighth of the ring.
 */
export const RESERVE_BYTES_MAX = 1_048_576;

// What a parse thread reports to a load thread about a turn whose request has ended, through their own port: only the
// thread that reads a reply can determine whether it was valid, when its stream ended, and what it contained.
export interface TurnResult {
  readonly sampleId: number;
  readonly sentNs: number;
  readonly endNs: number;
  readonly isCompleted: boolean;
  readonly answer: KeptAnswer;
}

export type KeptAnswer =
  /** No later turn continues it. */
  | { readonly kind: 'not-kept' }
  /** Fields of the answer's message in JSON, or the inside of the text that is its id; UTF-8. */
  | { readonly kind: 'kept'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The server stores it, but returned no id with which the next turn could continue it. */
  | { readonly kind: 'no-id' }
  /** Longer than ANSWER_CHARACTERS_MAX. */
  | { readonly kind: 'too-long' };

/**
 * The other direction: something waits for the records that were written last, or half of the ring is full, so the reader
 * does not wait for its next look at the ring.
 */
export const LOOK = 0;
