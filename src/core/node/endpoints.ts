// Where a node's daemon can be reached by its peers, in addition to the addresses of its network reading.

import { figure, type Infer, openObject, reported } from '../schema.ts';

export const nodeEndpointsSchema = openObject({
  /** TCP port of the mesh; unknown if it listens on loopback only. */
  meshPort: reported(figure),
  /** UDP port that answers reachability checks. */
  reachabilityPort: reported(figure),
});

export type NodeEndpoints = Infer<typeof nodeEndpointsSchema>;
