// When a node sends its first digest. Nodes that start together, as after a power cut, would otherwise always send at
// the same moment: with 64 nodes that moment made up most of the slowest percent of all events.

import type { NodeId } from '../../core/ids.ts';

/**
 * Share of the interval, from 0 to below 1: the same for a node at every start, evenly spread over nodes.
 */
export const digestPhase = (node: NodeId): number => (Number.parseInt(node.slice(0, 4), 36) % 1_021) / 1_021;
