// Whether the page shows simulated data, in words shown on every page.

import type { NodeId } from '../../../src/core/ids.ts';
import type { State } from '../../../src/core/state.ts';

/** '' where every node is real. */
export const simulationWords = (state: State, nodes: readonly NodeId[]): string => {
  const count = nodes.filter(node => isSimulated(state, node)).length;
  if (count === 0) return '';
  if (count === nodes.length)
    return count === 1 ? 'Simulated: not a real machine' : 'Simulated: no node is real';
  return `Simulated: ${count} of ${nodes.length} nodes`;
};

/** The same where there is no room: "Simulated", "3 of 8 simulated". */
export const shortSimulation = (words: string): string => {
  const some = /(\d+ of \d+) nodes$/.exec(words)?.[1];
  return words === '' ? '' : some === undefined ? 'Simulated' : `${some} simulated`;
};

export const isSimulated = (state: State, node: NodeId): boolean =>
  state.nodeIdentities[node]?.value.isSimulated === true;
