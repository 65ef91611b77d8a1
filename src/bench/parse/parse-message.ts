// The messages between the main thread and its parse threads. Few and rare, except for results.

import type { MessagePort } from 'node:worker_threads';
import type { OutcomeNews } from '../../core/run/outcome.ts';
import type { MarkSource } from '../arena/mark.ts';
import type { RingMemory } from '../arena/ring.ts';
import type { ThreadBoardMemory } from '../arena/thread-board.ts';
import type { HeaderField } from '../target/load-target.ts';
import { type TokensPerRequest, tokensPerRequest } from './tokens-per-request.ts';

export interface ParseWorkerData {
  /** Index of the parse thread, from 0. */
  readonly parser: number;
  /** Index of the board's cells: they follow those of the load threads. */
  readonly boardThread: number;
  readonly rings: readonly {
    readonly thread: number;
    readonly memory: RingMemory;
    /** To its load thread, which requests looks, and in a run of sessions waits for the results of turns. */
    readonly port: MessagePort;
  }[];
  readonly board: ThreadBoardMemory;
  /** Name of a row of server-apis.ts. */
  readonly api: string;
  readonly isStreaming: boolean;
  readonly requested: TokensPerRequest;
  /** CLOCK_MONOTONIC at the run's zero. */
  readonly runZeroNs: bigint;
  /** Redacted in the error texts of a server. */
  readonly secrets: readonly string[];
  /** How long output may be buffered, ms. */
  readonly reportMs: number;
}

export type ToParseWorker =
  /** It will write no more: what is in flight on it fails as `client`. */
  | { readonly kind: 'thread-lost'; readonly thread: number; readonly reason: string; readonly atNs: number }
  /** It has written its last. */
  | { readonly kind: 'thread-ended' }
  | { readonly kind: 'report-every'; readonly ms: number };

export type FromParseWorker =
  /** For the load threads whose rings it reads. */
  | { readonly kind: 'marks'; readonly source: MarkSource }
  | { readonly kind: 'batch'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** For the receiver registered under its name. */
  | {
      readonly kind: 'lines';
      readonly to: 'sampleLines' | 'answerLines';
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'outcomes'; readonly news: OutcomeNews }
  | { readonly kind: 'warmed-up'; readonly thread: number }
  | { readonly kind: 'issuing-ended'; readonly thread: number; readonly atNs: number }
  | { readonly kind: 'ended'; readonly thread: number; readonly atNs: number };

/** The facts of a load plan. */
export const parseFacts = (
  plan: Parameters<typeof tokensPerRequest>[0] & {
    readonly api: string;
    readonly isStreaming: boolean;
    readonly headers: readonly HeaderField[];
  },
): Pick<ParseWorkerData, 'api' | 'isStreaming' | 'requested' | 'secrets'> => ({
  api: plan.api,
  isStreaming: plan.isStreaming,
  requested: tokensPerRequest(plan),
  secrets: secretsOf(plan.headers),
});

/** Values of headers; a server may repeat a credential with its scheme or without. */
const secretsOf = (headers: readonly HeaderField[]): readonly string[] =>
  headers.flatMap(({ value }) => [value, value.replace(/^\w+ +/, '')]);
