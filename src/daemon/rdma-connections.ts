// Keeps this node's RDMA connections in state consistent with the readings of both ends: checks when state has changed,
// and every few seconds for what only time shows, such as a node that is gone.

import { type Clock, pause } from '../clock/clock.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { IsChosenPeer } from '../core/link/link-view.ts';
import { rdmaConnectionChanges } from '../core/link/rdma-connections.ts';
import type { State } from '../core/state.ts';

interface RdmaConnectionsParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Of a fleet only some are measured. */
  readonly isChosen: IsChosenPeer;
}

/** Until the signal aborts. */
export const followRdmaConnections = async (
  { nodeId, clock, state, record, isChosen }: RdmaConnectionsParts,
  signal: AbortSignal,
): Promise<void> => {
  let seen: readonly unknown[] = [];
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const now = state();
    const read = [now.nodeRdmaDevices, now.nodeThunderbolts, now.nodeNetworks, now.nodeForgets, now.origins];
    const isNews = read.some((part, index) => part !== seen[index]);
    if (isNews || clock.nowMs() - lookedAtMs >= LOOK_ANYWAY_MS) {
      for (const fact of rdmaConnectionChanges(now, nodeId, clock.nowMs(), isChosen)) record(fact);
      seen = read;
      lookedAtMs = clock.nowMs();
    }
    await pause(clock, LOOK_MS, signal);
  }
};

/** How often state is compared with what was last seen; five comparisons of references. */
const LOOK_MS = 1_000;
const LOOK_ANYWAY_MS = 5_000;
