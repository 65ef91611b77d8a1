// The messages between the main thread and its load threads. Few and rare: what is measured goes through shared memory.

import type { RingMemory } from '../arena/ring.ts';
import type { ThreadBoardMemory } from '../arena/thread-board.ts';
import type { LoadPlan } from './load-plan.ts';

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

export interface OpenedConnections {
  readonly opened: number;
  readonly failed: number;
  /** Why the first one that failed did. */
  readonly problem: string | undefined;
}
