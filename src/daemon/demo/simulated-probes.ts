// Wishes for probes in a simulated cluster: every node is here, so nobody has to be asked over the mesh.

import type { NodeId } from '../../core/ids.ts';
import type { Simulation } from '../../simulate/simulation.ts';
import type { ProbeDesk } from '../probes/probe-desk.ts';
import { isMeantBy } from '../probes/probe-wish.ts';

export const simulatedProbes = (
  simulation: Simulation,
  nodes: readonly NodeId[],
): Pick<ProbeDesk, 'wish'> => ({
  wish: async wish => {
    const measurers =
      wish.kind === 'all'
        ? nodes.filter(node => !simulation.isAway(node))
        : [wish.kind === 'gpu' ? wish.nodeId : wish.source];
    const probes = measurers.flatMap(node =>
      simulation.ask(node, subject => isMeantBy(wish, subject)).map(answer => ({ node, ...answer })),
    );
    const unreached = measurers.filter(node => simulation.isAway(node));
    return { probes, unreached: unreached.map(node => ({ node, reason: 'it does not answer' })) };
  },
});
