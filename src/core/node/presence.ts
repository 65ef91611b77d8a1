// Facts about a node's place in the cluster rather than its hardware.

import type { NodeId } from '../ids.ts';

/** Hides the subject while nothing is known beyond this point and nothing has arrived from it since. */
export interface NodeForgotten {
  readonly subject: NodeId;
  readonly durableEpoch: number;
  readonly durableSeq: number;
  readonly liveEpoch: number;
  readonly liveSeq: number;
}

/**
 * The last event of a daemon that is being stopped. A later event cancels it: a durable one past this point
 * of its journal, a live one that is newer.
 */
export interface NodeStopping {
  readonly durableEpoch: number;
  readonly durableSeq: number;
}

/** Two machines run from copies of one home. */
export interface NodeConflict {
  readonly subject: NodeId;
  readonly addresses: readonly string[];
}
