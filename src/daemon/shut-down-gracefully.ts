// How a daemon that is asked to stop ends: its parts first, then its last event, then the replication that carries it.
// One that ends for another reason sends nothing, and others see silence.

import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';

interface ShutdownParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Ends when the daemon is stopped; rejects if a part failed. */
  readonly work: Promise<unknown>;
  /** Ends when `silence` aborts. */
  readonly replicating: Promise<void>;
  readonly silence: AbortController;
}

/** @throws what `work` or `replicating` rejected with. */
export const shutDownGracefully = async (parts: ShutdownParts): Promise<void> => {
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
