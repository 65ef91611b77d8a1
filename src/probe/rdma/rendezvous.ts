// Where the two ends of an RDMA probe connect: an address of the sink that responds to the source now. Both
// ends choose from the same connections in state, so they choose the same one. The measured cable may have no
// address at all.

import type { NodeId } from '../../core/ids.ts';
import { endReadings, linkCarrier } from '../../core/link/link-ends.ts';
import { connectionMedium, mediumRank } from '../../core/link/link-medium.ts';
import type { State } from '../../core/state.ts';

/** As the source dials it, "fe80::1%en3" with the source's own scope; undefined if no address of the sink answers. */
export const rendezvousAddress = (state: State, source: NodeId, sink: NodeId): string | undefined => {
  const [best] = Object.values(state.connections[source]?.[sink] ?? {})
    .flatMap(({ value }) => {
      const carrier = linkCarrier(value, endReadings(state, source), endReadings(state, sink));
      const medium = connectionMedium(value.kind, carrier);
      if (value.kind !== 'socket' || (medium === undefined && source !== sink)) return [];
      return [{ address: value.sinkAddress, rank: medium === undefined ? 0 : mediumRank(medium) }];
    })
    // Addresses without a scope first: they need no interface to be known.
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(a.address.includes('%')) - Number(b.address.includes('%')) ||
        (a.address < b.address ? -1 : 1),
    );
  return best?.address;
};
