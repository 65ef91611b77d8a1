// What the processes of the reachability benchmark share.

import { type NodeId, nodeId } from '../src/core/ids.ts';

export const REACHABILITY_KEY: Uint8Array = new Uint8Array(32).fill(7);
/** The addresses that each node has: three of IPv4, one of IPv6. */
export const LOOPBACKS: readonly string[] = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'];

export const benchNodeId = (index: number): NodeId => nodeId(`n${index}`.padEnd(26, 'a'));
