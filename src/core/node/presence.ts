// Facts about a node's place in the cluster rather than its hardware.

import { count, type Infer, list, nodeIdSchema, openObject, text } from '../schema.ts';

export const nodeForgottenSchema = openObject({
  subject: nodeIdSchema,
  durableEpoch: count,
  durableSeq: count,
  liveEpoch: count,
  liveSeq: count,
});

/** Hides the subject while nothing is known beyond this point and nothing has arrived from it since. */
export type NodeForgotten = Infer<typeof nodeForgottenSchema>;

/**
 * The last event of a daemon that is being stopped. A later event cancels it: a durable one past this point
 * of its journal, a live one that is newer.
 */
export const nodeStoppingSchema = openObject({ durableEpoch: count, durableSeq: count });

export const nodeConflictSchema = openObject({ subject: nodeIdSchema, addresses: list(text) });

/** Two machines run from copies of one home. */
export type NodeConflict = Infer<typeof nodeConflictSchema>;
