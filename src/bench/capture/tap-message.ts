// The messages between the thread that passes traffic on and the thread that records it.

import type { EndKind } from '../arena/load-record.ts';

/** Of one request and its reply, the exchange, in order. Bytes are those of the batch. */
export type TapEvent =
  | {
      readonly kind: 'request';
      readonly exchange: number;
      readonly atMs: number;
      /** A name of server-apis.ts. */
      readonly api: string;
      /** content-encoding; '' if there is none. */
      readonly encoding: string;
      /** Value of the header that names the conversation. */
      readonly session: string | undefined;
    }
  | { readonly kind: 'request-body'; readonly exchange: number; readonly start: number; readonly end: number }
  | {
      readonly kind: 'reply';
      readonly exchange: number;
      readonly status: number;
      /** content-type and content-encoding; '' if there is none. */
      readonly type: string;
      readonly encoding: string;
    }
  | {
      readonly kind: 'reply-body';
      readonly exchange: number;
      readonly atMs: number;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'end'; readonly exchange: number; readonly atMs: number; readonly how: EndKind }
  /** The recorder was too far behind: nothing more of it follows. */
  | { readonly kind: 'lost'; readonly exchange: number };

export type ToRecorder =
  | { readonly kind: 'batch'; readonly events: readonly TapEvent[]; readonly bytes: Uint8Array }
  | { readonly kind: 'stop' };

/** What a batch takes in memory until it is read, about. */
export const batchBytes = (events: number, bodyBytes: number): number => bodyBytes + events * EVENT_BYTES;

/** Of an event with its session's name, once copied for the other thread. */
const EVENT_BYTES = 512;

export interface RecorderOptions {
  /** New or empty. */
  readonly folder: string;
  readonly fileBytesMax: number;
  readonly totalBytesMax: number;
  readonly keepsText: boolean;
}

/** What has been recorded so far. */
export interface RecordedFigures {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Requests that are in no file: the disk, or the recorder was too far behind. */
  readonly lost: number;
  /** Of requests that were recorded, but without blocks: no JSON, no prompt, or too large. */
  readonly unread: number;
  /** With a length that the server did not report. */
  readonly estimated: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Conversations. */
  readonly sessions: number;
  /** The file that is being written. */
  readonly file: string;
  readonly fileBytes: number;
  /** Of all files that are left. */
  readonly bytes: number;
  readonly files: number;
  /** In the oldest files, which were removed. */
  readonly removed: number;
  /** Why nothing can be written now: part of a sentence. */
  readonly problem: string | undefined;
}

export type FromRecorder =
  /** `problem`: the first file cannot be created. */
  | { readonly kind: 'ready'; readonly problem: string | undefined }
  /** `bytes`: batchBytes of what was read. */
  | { readonly kind: 'read'; readonly bytes: number; readonly figures: RecordedFigures }
  | { readonly kind: 'stopped'; readonly figures: RecordedFigures };
