// Five clusters that people build, simulated, in which the fast way is not the one that engines take by themselves.

import { cable, type Scenario, type SimulatedMachine } from '../../../src/simulate/scenario/scenario.ts';

const LOAD = { memory: 0.3, use: 0.1, cpu: 0.05 };

const machines = (
  hardware: SimulatedMachine['hardware'],
  names: readonly string[],
): readonly SimulatedMachine[] => names.map(name => ({ name, hardware, load: LOAD }));

const both = (bitsPerSecond: number) => ({
  bitsPerSecondToA: bitsPerSecond,
  bitsPerSecondToB: bitsPerSecond,
});

const pairsOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, a) =>
    Array.from({ length: count - a - 1 }, (_b, offset) => [a, a + 1 + offset] as const),
  ).flat();

/** Thunderbolt and Wi-Fi; the bridge of one is on. */
const MAC_PAIR: Scenario = {
  name: 'mac-pair',
  machines: [
    { name: 'james', hardware: 'mac-studio', load: LOAD },
    { name: 'mike', hardware: 'mac-studio', load: LOAD, quirks: { hasThunderboltBridge: true } },
  ],
  cables: [cable(0, 1, 'thunderbolt-rdma'), cable(0, 1, 'wifi')],
  absences: [],
};

/** Every two are joined by Thunderbolt except hermes and theia. Cables differ, so that orders have one answer. */
const MAC_MESH: Scenario = {
  name: 'mac-mesh',
  machines: machines('mac-studio', ['atlas', 'hermes', 'selene', 'theia']),
  cables: [
    cable(0, 1, 'thunderbolt-rdma', both(74e9)),
    cable(0, 2, 'thunderbolt-rdma', both(72e9)),
    cable(0, 3, 'thunderbolt-rdma', both(70e9)),
    cable(1, 2, 'thunderbolt-rdma', both(66e9)),
    cable(2, 3, 'thunderbolt-rdma', both(60e9)),
    ...pairsOf(4).map(([a, b]) => cable(a, b, 'ethernet')),
  ],
  absences: [],
};

const INFINIBAND: Scenario = {
  name: 'infiniband',
  machines: machines('gpu-server', ['rack-1', 'rack-2', 'rack-3']),
  cables: [
    cable(0, 1, 'infiniband', both(392e9)),
    cable(0, 2, 'infiniband', both(370e9)),
    cable(1, 2, 'infiniband', both(300e9)),
    ...pairsOf(3).map(([a, b]) => cable(a, b, 'ethernet')),
  ],
  absences: [],
};

/** Four rails and a network of 1 Gb/s for management, whose ends differ in MTU. */
const ROCE: Scenario = {
  name: 'roce',
  machines: [
    { name: 'gpu-1', hardware: 'roce-server', load: LOAD },
    { name: 'gpu-2', hardware: 'roce-server', load: LOAD, quirks: { ethernetMtuBytes: 9_000 } },
  ],
  cables: [
    ...[97e9, 94e9, 91e9, 88e9].map(bitsPerSecond => cable(0, 1, 'roce', both(bitsPerSecond))),
    cable(0, 1, 'ethernet', both(0.94e9)),
  ],
  absences: [],
};

/** Four kinds of machines on one switch. */
const MIXED: Scenario = {
  name: 'mixed',
  machines: [
    { name: 'atlas', hardware: 'mac-studio', load: LOAD },
    { name: 'bosun', hardware: 'workstation', load: LOAD },
    { name: 'juno', hardware: 'macbook', load: LOAD },
    { name: 'spark', hardware: 'dgx-spark', load: LOAD },
  ],
  cables: [
    cable(0, 1, 'ethernet', both(9.4e9)),
    cable(0, 2, 'ethernet', both(9.2e9)),
    cable(0, 3, 'ethernet', both(9e9)),
    cable(1, 2, 'ethernet', both(8e9)),
    cable(1, 3, 'ethernet', both(8e9)),
    cable(2, 3, 'ethernet', both(8e9)),
  ],
  absences: [],
};

export const WIRING_CLUSTERS: readonly Scenario[] = [MAC_PAIR, MAC_MESH, INFINIBAND, ROCE, MIXED];
