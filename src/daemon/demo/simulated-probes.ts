// Requests for probes in a simulated cluster: every node is here, so nobody has to be asked over the mesh.

import type { NodeId } from '../../core/ids.ts';
import type { Simulation } from '../../simulate/simulation.ts';
import { isMeantBy, type ProbeRequestServer } from '../probes/probe-request-server.ts';

export const simulatedProbes = (
  simulation: Simulation,
  nodes: readonly NodeId[],
): Pick<ProbeRequestServer, 'request'> => ({
  request: async target => {
    const measurers =
      target === 'all'
        ? nodes.filter(node => !simulation.isAway(node))
        : [target.kind === 'gpu' ? target.nodeId : target.source];
    const probes = measurers.flatMap(node =>
      simulation.request(node, subject => isMeantBy(target, subject)).map(answer => ({ node, ...answer })),
    );
    const unreached = measurers.filter(node => simulation.isAway(node));
    return { probes, unreached: unreached.map(node => ({ node, reason: 'it does not answer' })) };
  },
});
