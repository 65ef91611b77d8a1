// The scenario for a size: hand-written up to eight machines and for sixteen, else generated: racks, and past them a fleet.

import { FAULTS } from './faults.ts';
import { fleet } from './fleet.ts';
import { HARBOUR } from './harbour.ts';
import { racks } from './racks.ts';
import type { Cable, MachineQuirks, Scenario, SimulatedMachine } from './scenario.ts';
import { MIXED_COUNT_MAX, mixedCluster, PAIR, SMALL } from './small-clusters.ts';

/** Machines of one simulation. */
export const SIMULATED_NODES_MAX = 1_000;
/** Racks of eight with different machines; more are a fleet. */
const RACKS_NODES_MAX = 200;

/** @throws RangeError for a size that is not a whole number from 1 to SIMULATED_NODES_MAX. */
export const scenarioOfSize = (count: number): Scenario => {
  if (!Number.isInteger(count) || count < 1 || count > SIMULATED_NODES_MAX)
    throw new RangeError(`a simulation has 1 to ${SIMULATED_NODES_MAX} nodes, not ${count}`);
  if (count === PAIR.machines.length) return PAIR;
  if (count === SMALL.machines.length) return SMALL;
  if (count === HARBOUR.machines.length) return HARBOUR;
  if (count <= MIXED_COUNT_MAX) return mixedCluster(count);
  return count <= RACKS_NODES_MAX ? racks(count) : fleet(count);
};

/** `typical`: some that people meet; `all`: a cluster of its own, with every fault that can be simulated. */
export type SimulatedFaults = 'none' | 'typical' | 'all';

/** @param count of machines; a cluster with every fault has its own. */
export const scenarioWith = (faults: SimulatedFaults, count: number): Scenario => {
  switch (faults) {
    case 'none':
      return withoutFaults(scenarioOfSize(count));
    case 'typical':
      return scenarioOfSize(count);
    case 'all':
      return FAULTS;
    default:
      return faults satisfies never;
  }
};

export const withoutFaults = (scenario: Scenario): Scenario => ({
  name: scenario.name,
  machines: scenario.machines.map(sound),
  cables: scenario.cables.map(whole),
  absences: [],
});

const sound = ({ load, quirks, changes: _, ...machine }: SimulatedMachine): SimulatedMachine => ({
  ...machine,
  load: { ...load, memory: Math.min(load.memory, SAFE_MEMORY) },
  quirks: soundQuirks(quirks),
});

/** A machine's purpose is not a fault, nor is a 1 Gb/s port. */
const soundQuirks = ({ servesModel, ethernetBitsPerSecond }: MachineQuirks = {}): MachineQuirks => ({
  ...(servesModel === undefined ? {} : { servesModel }),
  ...(ethernetBitsPerSecond === undefined ? {} : { ethernetBitsPerSecond }),
});

const whole = (cable: Cable): Cable => {
  const { a, b, kind, bitsPerSecondToA, bitsPerSecondToB, usualBitsPerSecond = 0, roundTripNs } = cable;
  return {
    a,
    b,
    kind,
    bitsPerSecondToA: Math.max(bitsPerSecondToA, usualBitsPerSecond),
    bitsPerSecondToB: Math.max(bitsPerSecondToB, usualBitsPerSecond),
    roundTripNs,
  };
};

/** Below the load line. */
const SAFE_MEMORY = 0.82;
