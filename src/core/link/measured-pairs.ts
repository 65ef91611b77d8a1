// Which links a cluster has: every node to every other in a small cluster, and beyond that those that the
// nodes choose for the day (probe/schedule/chosen-peers.ts). A missing link between two others is not a fault
// of any cable.

import type { NodeId } from '../ids.ts';

/** Nodes of a cluster in which every node measures every other: what a full mesh is made for. */
export const ALL_MEASURED_MAX = 64;

export const isSampled = (nodeCount: number): boolean => nodeCount > ALL_MEASURED_MAX;

export const NOT_CHOSEN = 'not chosen today';

/** Why there is no link between two present nodes. */
export const whyNoLink = (nodeCount: number): string => (isSampled(nodeCount) ? NOT_CHOSEN : 'not reachable');

/** Whether this node measures another one. */
export type IsChosenPeer = (node: NodeId) => boolean;
