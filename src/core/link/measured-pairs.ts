// Which links a cluster has: each node to each while there are few of them, and past that those that the nodes choose for the
// day (probe/schedule/chosen-peers.ts). Between two others there is nothing, and that is no fault of any cable.

import type { NodeId } from '../ids.ts';

/** Nodes of a cluster in which each measures each: what a full mesh is made for. */
export const ALL_MEASURED_MAX = 64;

export const isSampled = (nodeCount: number): boolean => nodeCount > ALL_MEASURED_MAX;

export const NOT_CHOSEN = 'not chosen today';

/** Why there is no link between two present nodes. */
export const whyNoLink = (nodeCount: number): string => (isSampled(nodeCount) ? NOT_CHOSEN : 'not reachable');

/** Whether this node measures another one. */
export type IsChosenPeer = (node: NodeId) => boolean;
