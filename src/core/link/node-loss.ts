// Connections that are lost because their other node is away. They open again by themselves when it returns.

import type { NodeId } from '../ids.ts';
import { lastSeenMs, presence, stoppedMs } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import type { LossCode } from './connection.ts';

interface NodeLoss {
  readonly code: Extract<LossCode, 'node-stopped' | 'node-offline'>;
  readonly reason: string;
  /** When it stopped, or was last seen: this process's monotonic clock, ms. */
  readonly atMs: number;
}

/** Undefined while the node is present. */
export const nodeLoss = (state: State, node: NodeId, nowMs: number): NodeLoss | undefined => {
  const stopMs = stoppedMs(state, node, nowMs);
  if (stopMs !== undefined) return { code: 'node-stopped', reason: 'the node stopped', atMs: nowMs - stopMs };
  return presence(state, node, nowMs) === 'offline'
    ? { code: 'node-offline', reason: 'the node is offline', atMs: lastSeenMs(state, node) }
    : undefined;
};

export const isNodeLoss = (code: LossCode): code is NodeLoss['code'] =>
  code === 'node-stopped' || code === 'node-offline';
