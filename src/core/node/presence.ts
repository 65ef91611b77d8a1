// Facts about a node's place in the cluster rather than its hardware.

import type { NodeId } from '../ids.ts';

/** Hides everything the subject wrote up to a point. A node that speaks again is shown again. */
export interface NodeForgotten {
  readonly subject: NodeId;
  readonly durableEpoch: number;
  readonly durableSeq: number;
  readonly liveEpoch: number;
  readonly liveSeq: number;
}

/**
 * The last word of a daemon that stops because it was told to. Anything it says afterwards takes it back: a durable fact past
 * this point of its journal, a live one that is newer.
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
