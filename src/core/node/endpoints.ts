// Where a node's daemon can be reached by its peers, in addition to the addresses of its network reading.

import type { Reported } from '../unknown.ts';

export interface NodeEndpoints {
  /** TCP port of the mesh; unknown if it listens on loopback only. */
  readonly meshPort: Reported<number>;
  /** UDP port that answers reachability checks. */
  readonly reachabilityPort: Reported<number>;
}
