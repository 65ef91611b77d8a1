// Two machines that run from copies of one home, as a viewer should see it now. Nodes that see both repeat
// the report while both are up, so a report that has not been repeated for a while is over.

import { minimumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';

export interface ConflictView {
  /** Addresses at which the two were seen, by any node. */
  readonly addresses: readonly string[];
  /** Since its newest report, ms. */
  readonly ageMs: number;
}

/** Dials to a refused address are at most 15 s apart, and each may take 4 s. */
export const CONFLICT_LASTS_MS = 60_000;

/** Undefined unless another machine was seen with the node's identity. */
export const conflictOf = (state: State, node: NodeId, nowMs: number): ConflictView | undefined => {
  const reports = Object.values(state.nodeConflicts).flatMap(seen => {
    const entry = Object.hasOwn(seen, node) ? seen[node] : undefined;
    if (entry === undefined) return [];
    const ageMs = Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs);
    return ageMs < CONFLICT_LASTS_MS ? [{ addresses: entry.value.addresses, ageMs }] : [];
  });
  if (reports.length === 0) return undefined;
  return {
    addresses: [...new Set(reports.flatMap(({ addresses }) => addresses))].sort(),
    ageMs: minimumOf(reports.map(({ ageMs }) => ageMs)),
  };
};
