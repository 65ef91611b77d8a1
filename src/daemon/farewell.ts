// How a daemon ends that is told to: its parts first, then its last word, then the replication that carries the word. One
// that ends for another reason says nothing, and what others see of it is silence.

import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';

export interface FarewellParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Ends when the daemon is told to; rejects where a part failed. */
  readonly work: Promise<unknown>;
  /** Ends when `silence` aborts. */
  readonly replicating: Promise<void>;
  readonly silence: AbortController;
}

/** @throws what `work` or `replicating` rejected with. */
export const endWithFarewell = async (parts: FarewellParts): Promise<void> => {
  const { nodeId, state, record, work, replicating, silence } = parts;
  try {
    await work;
    const written = state().origins[nodeId];
    record({
      kind: 'node.stopping',
      payload: { durableEpoch: written?.epoch ?? 0, durableSeq: written?.seq ?? 0 },
    });
  } finally {
    silence.abort();
    await replicating;
  }
};
