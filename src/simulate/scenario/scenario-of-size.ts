// The scenario of a size: by hand up to eight machines and for sixteen, else generated.

import { HARBOUR } from './harbour.ts';
import { racks } from './racks.ts';
import type { Scenario } from './scenario.ts';
import { DESK, MIXED_COUNT_MAX, mixedCluster, PAIR } from './small-clusters.ts';

/** Machines of one simulation. */
export const SIMULATED_NODES_MAX = 200;

/** @throws RangeError for a size that is not a whole number from 1 to SIMULATED_NODES_MAX. */
export const scenarioOfSize = (count: number): Scenario => {
  if (!Number.isInteger(count) || count < 1 || count > SIMULATED_NODES_MAX)
    throw new RangeError(`a simulation has 1 to ${SIMULATED_NODES_MAX} nodes, not ${count}`);
  if (count === PAIR.machines.length) return PAIR;
  if (count === DESK.machines.length) return DESK;
  if (count === HARBOUR.machines.length) return HARBOUR;
  return count <= MIXED_COUNT_MAX ? mixedCluster(count) : racks(count);
};
