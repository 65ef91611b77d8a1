// Hand-written clusters of two to eight machines: a pair of Mac Studios, a desk of four kinds, a mixed cluster of
// eight. Their problems are common ones: half the rate in one direction, a slow port, a hot GPU, memory past its safe
// load, a sleeping notebook, a pair that cannot reach each other.

import type { Absence } from '../absence.ts';
import { type Cable, cable, type Scenario, type SimulatedMachine } from './scenario.ts';

export const PAIR: Scenario = {
  name: 'pair',
  machines: [
    { name: 'mike', hardware: 'mac-studio', load: { memory: 0.91, use: 0.95, cpu: 0.14 }, speed: 0.99 },
    { name: 'james', hardware: 'mac-studio', load: { memory: 0.58, use: 0.92, cpu: 0.12 } },
  ],
  cables: [
    cable(0, 1, 'thunderbolt-rdma', { bitsPerSecondToA: 74.79e9, bitsPerSecondToB: 74.61e9 }),
    cable(0, 1, 'overlay', { bitsPerSecondToA: 0.393e9, bitsPerSecondToB: 0.412e9 }),
  ],
  absences: [],
};

export const SMALL: Scenario = {
  name: 'desk',
  machines: [
    {
      name: 'atlas',
      hardware: 'mac-studio',
      load: { memory: 0.62, use: 0.41, cpu: 0.11 },
      quirks: { hasThunderboltBridge: true },
    },
    {
      name: 'juno',
      hardware: 'macbook',
      load: { memory: 0.36, use: 0.12, cpu: 0.09 },
      quirks: { hasThunderboltBridge: true, osBuild: '25B78' },
    },
    {
      name: 'spark',
      hardware: 'dgx-spark',
      load: { memory: 0.91, use: 0.88, cpu: 0.17 },
      quirks: { swapUsedBytes: 3.1e9, servesModel: true },
    },
    {
      name: 'bosun',
      hardware: 'workstation',
      load: { memory: 0.81, use: 0.67, cpu: 0.08, hostMemory: 0.28 },
      quirks: { throttledGpu: 1 },
    },
  ],
  cables: [
    cable(0, 1, 'thunderbolt-rdma', { bitsPerSecondToA: 74.6e9, bitsPerSecondToB: 74.8e9 }),
    cable(0, 1, 'wifi', { bitsPerSecondToA: 0.731e9, bitsPerSecondToB: 0.884e9 }),
    cable(0, 2, 'ethernet', { roundTripNs: 198_000 }),
    cable(0, 3, 'ethernet', { roundTripNs: 214_000 }),
    cable(1, 2, 'wifi', { bitsPerSecondToA: 0.94e9, bitsPerSecondToB: 1.18e9, roundTripNs: 3_100_000 }),
    cable(1, 3, 'wifi', {
      bitsPerSecondToA: 0.488e9,
      bitsPerSecondToB: 0.612e9,
      roundTripNs: 5_400_000,
      failure: 'no answer within 30 s',
    }),
    cable(2, 3, 'ethernet', { roundTripNs: 176_000 }),
  ],
  absences: [],
};

const MIXED_MACHINES: readonly SimulatedMachine[] = [
  { name: 'atlas', hardware: 'mac-studio', load: { memory: 0.62, use: 0.41, cpu: 0.11 } },
  { name: 'hermes', hardware: 'mac-studio', load: { memory: 0.58, use: 0.44, cpu: 0.1 }, speed: 0.988 },
  { name: 'juno', hardware: 'macbook', load: { memory: 0.36, use: 0.12, cpu: 0.09 } },
  {
    name: 'pip',
    hardware: 'mac-mini',
    load: { memory: 0.74, use: 0.3, cpu: 0.13 },
    quirks: { ethernetBitsPerSecond: 1e9 },
  },
  {
    name: 'spark-1',
    hardware: 'dgx-spark',
    load: { memory: 0.91, use: 0.88, cpu: 0.17 },
    quirks: { swapUsedBytes: 3.1e9, servesModel: true },
  },
  { name: 'spark-2', hardware: 'dgx-spark', load: { memory: 0.66, use: 0.86, cpu: 0.16 }, speed: 0.994 },
  {
    name: 'bosun',
    hardware: 'workstation',
    load: { memory: 0.81, use: 0.67, cpu: 0.08, hostMemory: 0.28 },
    quirks: { throttledGpu: 1 },
  },
  {
    name: 'anchor',
    hardware: 'radeon-box',
    load: { memory: 0.47, use: 0.05, cpu: 0.06, hostMemory: 0.22 },
    quirks: { isUnmeasured: true },
  },
];

const SPECIAL_CABLES: readonly Cable[] = [
  cable(0, 1, 'thunderbolt-rdma', { bitsPerSecondToA: 74.6e9, bitsPerSecondToB: 74.8e9 }),
  cable(1, 2, 'thunderbolt-rdma', {
    bitsPerSecondToA: 74.7e9,
    bitsPerSecondToB: 74.5e9,
    roundTripNs: 19_000,
  }),
  cable(0, 2, 'thunderbolt-rdma', { bitsPerSecondToA: 74.8e9, bitsPerSecondToB: 74.6e9 }),
  cable(4, 5, 'roce', { bitsPerSecondToA: 96.8e9, bitsPerSecondToB: 97.1e9 }),
  cable(1, 3, 'thunderbolt', { bitsPerSecondToA: 30.8e9, bitsPerSecondToB: 31.2e9 }),
];

/** The first `count` of eight: Macs joined by Thunderbolt, Sparks by RoCE, and all by one switch. */
export const mixedCluster = (count: number): Scenario => {
  const machines = MIXED_MACHINES.slice(0, count);
  const special = SPECIAL_CABLES.filter(({ a, b }) => a < count && b < count);
  const switched = machines.flatMap((_, a) =>
    machines.slice(a + 1).map((_other, offset) => switchedCable(a, a + 1 + offset)),
  );
  const absences = count === MIXED_COUNT_MAX ? [NOTEBOOK_SLEEP] : [];
  return { name: 'mixed', machines, cables: [...special, ...switched], absences };
};

/**
 * A notebook whose lid was closed three minutes before the start: it comes back during the demo, long enough to see
 * what that changes, and sleeps again.
 */
const NOTEBOOK_SLEEP: Absence = { machine: 2, fromSeconds: -190, seconds: 400, everySeconds: 800 };

export const MIXED_COUNT_MAX: number = MIXED_MACHINES.length;

const switchedCable = (a: number, b: number): Cable => {
  const [hermes, pip, spark1, spark2, bosun, anchor] = [1, 3, 4, 5, 6, 7];
  const roundTripNs = 190_000 + ((a * 7 + b * 13) % 40) * 1_000;
  // One direction at half its rate, with losses: a bad cable or port.
  if (a === spark2 && b === bosun)
    return cable(a, b, 'ethernet', {
      bitsPerSecondToA: 4.87e9,
      bitsPerSecondToB: 9.41e9,
      roundTripNs: 231_000,
      usualBitsPerSecond: 9.4e9,
      retransmits: 1_204,
    });
  // The newcomer's firewall blocks one node.
  if (a === hermes && b === anchor) return cable(a, b, 'ethernet', { roundTripNs, isCutOff: true });
  if (a === pip || b === pip) {
    const slow = { bitsPerSecondToA: 0.941e9, bitsPerSecondToB: 0.939e9, roundTripNs };
    return cable(a, b, 'ethernet', b === spark1 ? { ...slow, failure: 'no answer within 30 s' } : slow);
  }
  return cable(a, b, 'ethernet', { roundTripNs, bitsPerSecondToA: 9.38e9 + ((a + b) % 5) * 6e6 });
};
