// The same cluster with nothing wrong: every cable at what it can carry, every machine there, cool and measured.

import type { Cable, MachineQuirks, Scenario, SimulatedMachine } from './scenario.ts';

export const withoutFaults = (scenario: Scenario): Scenario => ({
  name: scenario.name,
  machines: scenario.machines.map(sound),
  cables: scenario.cables.map(whole),
  absences: [],
});

const sound = ({ load, quirks, ...machine }: SimulatedMachine): SimulatedMachine => ({
  ...machine,
  load: { ...load, memory: Math.min(load.memory, SAFE_MEMORY) },
  quirks: soundQuirks(quirks),
});

/** What a machine is there for is no fault, nor is a port of 1 Gb/s. */
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
