// How many GPUs a node has, so that tokens can be shared out to them.

import type { NodeId } from '../../../src/core/ids.ts';
import type { State } from '../../../src/core/state.ts';

/** Undefined if the node has reported none. */
export const gpuCount = (state: State, node: NodeId): number | undefined => {
  const count = Object.values(state.nodeGpus[node] ?? {}).reduce(
    (sum, { value }) => sum + value.devices.length,
    0,
  );
  return count === 0 ? undefined : count;
};
