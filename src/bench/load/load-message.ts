// The messages between the main thread and its load and parse threads. Few and rare: what is measured goes through shared
// memory.

import type { RingMemory } from '../arena/ring.ts';
import type { LoadPlan, OpenedConnections } from './load-options.ts';
import type { ThreadBoardMemory } from './thread-board.ts';

export interface LoadWorkerData {
  readonly thread: number;
  readonly plan: LoadPlan;
  readonly ring: RingMemory;
  readonly board: ThreadBoardMemory;
  /** CLOCK_MONOTONIC at the run's zero. */
  readonly runZeroNs: bigint;
}

export type ToLoadWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'warm-up' }
  | { readonly kind: 'start'; readonly atNs: number }
  | { readonly kind: 'stop' };

export type FromLoadWorker =
  | { readonly kind: 'opened'; readonly connections: OpenedConnections }
  | { readonly kind: 'ended' };

export interface ParseWorkerData {
  /** From 0 among the parse threads. */
  readonly parser: number;
  /** Number of a board's cells: they follow those of the load threads. */
  readonly boardThread: number;
  readonly rings: readonly { readonly thread: number; readonly memory: RingMemory }[];
  readonly board: ThreadBoardMemory;
  readonly isStreaming: boolean;
  readonly runZeroNs: bigint;
  /** Replaced in whatever a server's error says. */
  readonly secrets: readonly string[];
}

export type ToParseWorker =
  /** It will write no more: what is in flight on it fails as `client`. */
  { readonly kind: 'thread-lost'; readonly thread: number; readonly reason: string; readonly atNs: number };

export type FromParseWorker =
  | { readonly kind: 'batch'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'lines'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'warmed-up'; readonly thread: number }
  | { readonly kind: 'issuing-ended'; readonly thread: number; readonly atNs: number }
  | { readonly kind: 'ended'; readonly thread: number; readonly atNs: number };
