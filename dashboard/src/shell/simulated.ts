// Whether the page shows simulated data, in words shown on every page.

import { counted } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { State } from '../../../src/core/state.ts';

/** '' where every node is real. */
export const simulationText = (state: State, nodes: readonly NodeId[]): string => {
  const simulatedCount = nodes.filter(node => isSimulated(state, node)).length;
  return simulationOfCounts({ simulatedCount, nodeCount: nodes.length });
};

export const simulationOfCounts = ({
  simulatedCount,
  nodeCount,
}: {
  readonly simulatedCount: number;
  readonly nodeCount: number;
}): string => {
  if (simulatedCount === 0) return '';
  if (simulatedCount === nodeCount)
    return nodeCount === 1 ? 'Simulated: not a real machine' : 'Simulated: no node is real';
  return `Simulated: ${simulatedCount} of ${counted(nodeCount, 'node')}`;
};

/** The same where there is no room: "Simulated", "3 of 8 simulated". */
export const shortSimulation = (text: string): string => {
  const some = /(\d+ of \d+) nodes$/.exec(text)?.[1];
  return text === '' ? '' : some === undefined ? 'Simulated' : `${some} simulated`;
};

export const isSimulated = (state: State, node: NodeId): boolean =>
  state.nodeIdentities[node]?.value.isSimulated === true;
