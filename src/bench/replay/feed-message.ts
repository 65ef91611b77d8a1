// The messages between the thread that makes the requests of a trace and the load threads that send them.

import type { MessagePort } from 'node:worker_threads';
import type { JsonObject } from '../../core/json.ts';
import type { ThreadBoardMemory } from '../arena/thread-board.ts';
import type { TimedTrace } from '../dataset/trace/survey-trace.ts';
import type { WordCosts } from '../dataset/word-costs.ts';
import type { TargetSpread } from '../target/load-target.ts';
import type { LengthField } from '../target/request-fields.ts';

/** The requests of a trace's replay, and their times. */
export interface ReplayPlan {
  readonly trace: TimedTrace;
  readonly seed: number;
  readonly costs: WordCosts;
  /** Shared by all requests: what they have in common they have in common at the server, too. undefined: none. */
  readonly nonce: string | undefined;
  /** Name of a row of server-apis.ts. */
  readonly api: string;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly lengthFields: readonly LengthField[];
  readonly added: JsonObject;
  /** --body determines how long answers are. */
  readonly isOutputInBody: boolean;
}

export interface FeedWorkerData {
  readonly plan: ReplayPlan;
  /** For each target, up to the figure of content-length. */
  readonly heads: readonly string[];
  /** For several targets: which one each request goes to. */
  readonly spread: TargetSpread | undefined;
  readonly firstSampleId: number;
  /** Request n goes to thread n mod their number. */
  readonly ports: readonly MessagePort[];
  readonly board: ThreadBoardMemory;
  /** Index of the board's cells. */
  readonly boardThread: number;
}

/** To a load thread, in the order in which it sends them. */
export type FromFeed =
  | { readonly kind: 'request'; readonly sampleId: number; readonly bytes: Uint8Array }
  /** The queue is full, or contains all. */
  | { readonly kind: 'primed' };

/** From a load thread. */
export interface FeedTaken {
  readonly requests: number;
  readonly bytes: number;
}
