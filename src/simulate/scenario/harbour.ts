// Sixteen hand-written machines: Mac Studios joined by Thunderbolt, two notebooks on Wi-Fi, a ring of Sparks, servers
// on InfiniBand, and all on one switch. Enough for a matrix, with problems in a few of its cells.

import type { Absence } from '../absence.ts';
import { type Cable, cable, type Scenario, type SimulatedMachine } from './scenario.ts';

const STUDIOS = [0, 1, 2, 3];
const [ATLAS, SELENE, THEIA] = [0, 2, 3];
const [JUNO, PALLAS] = [4, 5];
const SPARKS = [6, 7, 8, 9];
const [SPARK_3, SPARK_4] = [8, 9];
const RACKS = [10, 11, 12, 13];
const [RACK_2, RACK_4] = [11, 13];
const [BOSUN, ANCHOR] = [14, 15];

const MACHINES: readonly SimulatedMachine[] = [
  { name: 'atlas', hardware: 'mac-studio', load: { memory: 0.62, use: 0.41, cpu: 0.11 } },
  { name: 'hermes', hardware: 'mac-studio', load: { memory: 0.58, use: 0.44, cpu: 0.1 }, speed: 0.988 },
  { name: 'selene', hardware: 'mac-studio', load: { memory: 0.71, use: 0.63, cpu: 0.12 }, speed: 0.994 },
  { name: 'theia', hardware: 'mac-studio', load: { memory: 0.33, use: 0.08, cpu: 0.05 }, speed: 0.991 },
  { name: 'juno', hardware: 'macbook', load: { memory: 0.36, use: 0.12, cpu: 0.09 } },
  { name: 'pallas', hardware: 'macbook', load: { memory: 0.52, use: 0.05, cpu: 0.07 }, speed: 0.985 },
  {
    name: 'spark-1',
    hardware: 'dgx-spark',
    load: { memory: 0.91, use: 0.88, cpu: 0.17 },
    quirks: { swapUsedBytes: 3.1e9, servesModel: true },
  },
  { name: 'spark-2', hardware: 'dgx-spark', load: { memory: 0.66, use: 0.86, cpu: 0.16 }, speed: 0.994 },
  { name: 'spark-3', hardware: 'dgx-spark', load: { memory: 0.64, use: 0.82, cpu: 0.15 }, speed: 0.997 },
  { name: 'spark-4', hardware: 'dgx-spark', load: { memory: 0.28, use: 0.04, cpu: 0.05 } },
  { name: 'rack-1', hardware: 'gpu-server', load: { memory: 0.78, use: 0.91, cpu: 0.12, hostMemory: 0.31 } },
  { name: 'rack-2', hardware: 'gpu-server', load: { memory: 0.79, use: 0.9, cpu: 0.12, hostMemory: 0.3 } },
  {
    name: 'rack-3',
    hardware: 'gpu-server',
    load: { memory: 0.44, use: 0.35, cpu: 0.08, hostMemory: 0.18 },
    speed: 0.993,
  },
  {
    name: 'rack-4',
    hardware: 'gpu-server',
    load: { memory: 0.8, use: 0.87, cpu: 0.11, hostMemory: 0.29 },
    speed: 1.004,
  },
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

const pairsOf = (machines: readonly number[]): readonly (readonly [number, number])[] =>
  machines.flatMap((a, at) => machines.slice(at + 1).map(b => [a, b] as const));

/** Each slightly different, like real cables; always below the maximum of its kind. */
const lessBy = (a: number, b: number): number => 1 - ((a * 7 + b * 13) % 11) / 2_000;

const varied = (a: number, b: number, kind: 'thunderbolt-rdma' | 'infiniband' | 'roce'): Cable => {
  const usual = cable(a, b, kind);
  return {
    ...usual,
    bitsPerSecondToA: usual.bitsPerSecondToA * lessBy(a, b),
    bitsPerSecondToB: usual.bitsPerSecondToB * lessBy(b, a),
  };
};

/** A transceiver that lost two of four lanes in one direction. */
const RACK_FAULT: Partial<Cable> = { bitsPerSecondToB: 164e9, usualBitsPerSecond: 391e9 };

const FAST: readonly Cable[] = [
  ...pairsOf(STUDIOS).map(([a, b]) => varied(a, b, 'thunderbolt-rdma')),
  varied(ATLAS, JUNO, 'thunderbolt-rdma'),
  varied(ATLAS, PALLAS, 'thunderbolt-rdma'),
  cable(JUNO, PALLAS, 'thunderbolt', { bitsPerSecondToA: 31.1e9, bitsPerSecondToB: 31.2e9 }),
  // Two sockets each: a ring, and no more.
  ...SPARKS.map((a, at) => varied(a, SPARKS[(at + 1) % SPARKS.length] ?? a, 'roce')),
  ...pairsOf(RACKS).map(([a, b]) => ({
    ...varied(a, b, 'infiniband'),
    ...(a === RACK_2 && b === RACK_4 ? RACK_FAULT : {}),
  })),
];

const isNotebook = (machine: number): boolean => machine === JUNO || machine === PALLAS;

const switched = (a: number, b: number): Cable => {
  const isCutOff = b === ANCHOR && (a === THEIA || a === PALLAS);
  if (isNotebook(a) || isNotebook(b)) return wireless(a, b, isCutOff);
  const roundTripNs = 190_000 + ((a * 7 + b * 13) % 40) * 1_000;
  const bitsPerSecondToA = 9.36e9 + ((a * 5 + b) % 9) * 6e6;
  const bitsPerSecondToB = 9.36e9 + ((a + b * 5) % 9) * 6e6;
  const sound = { roundTripNs, bitsPerSecondToA, bitsPerSecondToB };
  if (isCutOff) return cable(a, b, 'ethernet', { ...sound, isCutOff });
  // One direction at half its rate, with losses: a bad cable or port.
  if (a === SPARK_4 && b === BOSUN)
    return cable(a, b, 'ethernet', {
      ...sound,
      bitsPerSecondToB: 4.87e9,
      usualBitsPerSecond: 9.4e9,
      retransmits: 1_204,
    });
  if (a === SELENE && b === SPARK_3)
    return cable(a, b, 'ethernet', { ...sound, failure: 'no answer within 30 s' });
  return cable(a, b, 'ethernet', sound);
};

/** Half duplex, shared, and one is further from the access point than the other. */
const wireless = (a: number, b: number, isCutOff: boolean): Cable => {
  const share = isNotebook(a) && isNotebook(b) ? 0.5 : 1;
  return cable(a, b, 'wifi', {
    bitsPerSecondToA: share * (0.58e9 + ((a * 11 + b * 7) % 13) * 0.03e9),
    bitsPerSecondToB: share * (0.62e9 + ((a * 5 + b * 17) % 11) * 0.03e9),
    roundTripNs: 3_100_000 + ((a + b * 3) % 9) * 260_000,
    ...(isCutOff ? { isCutOff } : {}),
  });
};

/** As in the cluster of eight: a lid that was closed before the demo started. */
const NOTEBOOK_SLEEP: Absence = { machine: PALLAS, fromSeconds: -190, seconds: 400, everySeconds: 800 };

export const HARBOUR: Scenario = {
  name: 'harbour',
  machines: MACHINES,
  cables: [
    ...FAST,
    ...pairsOf(MACHINES.map((_, index) => index))
      // Between the servers there is nothing slower than InfiniBand.
      .filter(([a, b]) => !(RACKS.includes(a) && RACKS.includes(b)))
      .map(([a, b]) => switched(a, b)),
  ],
  absences: [NOTEBOOK_SLEEP],
};
