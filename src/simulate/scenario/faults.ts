// Twelve machines in which everything goes wrong that Plimsoll warns of, each fault at a machine or cable of its own: some from
// the beginning, the others within the first two minutes of the clock, and those that pass come again. For people who want
// to see every warning, and for the test that expects each of them.

import { type Absence, lasting } from '../absence.ts';
import { type Cable, cable, type MachinePlace, type Scenario, type SimulatedMachine } from './scenario.ts';

const [ATLAS, HERMES, JUNO, PIP] = [0, 1, 2, 3];
const [SPARK_1, SPARK_2] = [4, 5];
const [BOSUN, QUAY, ANCHOR] = [6, 7, 8];
const [RACK_1, RACK_2] = [9, 10];
const VM_1 = 11;

const SHELF: MachinePlace = { site: 'lab', rack: 'shelf', tags: [] };
const CLOUD: MachinePlace = { site: 'cloud', rack: 'zone-a', tags: [] };

const MACS: readonly SimulatedMachine[] = [
  {
    name: 'atlas',
    hardware: 'mac-studio',
    load: { memory: 0.62, use: 0.41, cpu: 0.11 },
    quirks: { hasThunderboltBridge: true },
  },
  {
    name: 'hermes',
    hardware: 'mac-studio',
    load: { memory: 0.58, use: 0.44, cpu: 0.1 },
    quirks: { hasThunderboltBridge: true, isRdmaOff: true },
    changes: [
      {
        ...lasting(30),
        quirks: {
          failingReadings: [
            {
              reading: 'config',
              reason: 'config.toml, line 7: probes.gpu_ttl is not a duration',
              code: 'config-broken',
            },
          ],
        },
      },
    ],
  },
  {
    name: 'juno',
    hardware: 'macbook',
    load: { memory: 0.36, use: 0.12, cpu: 0.09 },
    quirks: { hasThunderboltBridge: true, osBuild: '25B78' },
  },
  // Its only Thunderbolt cable is linked, and the RDMA port over it is down.
  {
    name: 'pip',
    hardware: 'mac-mini',
    load: { memory: 0.54, use: 0.3, cpu: 0.13 },
    quirks: { downRdmaPorts: [0], swapUsedBytes: 2.2e9 },
  },
];

const SPARKS: readonly SimulatedMachine[] = [
  {
    name: 'spark-1',
    hardware: 'dgx-spark',
    load: { memory: 0.91, use: 0.88, cpu: 0.17 },
    quirks: { swapUsedBytes: 3.1e9, servesModel: true },
  },
  {
    name: 'spark-2',
    hardware: 'dgx-spark',
    load: { memory: 0.66, use: 0.86, cpu: 0.16 },
    quirks: { copyAddresses: ['192.0.2.15:4181', '192.0.2.71:4181'] },
    place: SHELF,
    changes: [{ ...lasting(25), quirks: { silentReadings: ['memory'] } }],
  },
];

const WORKSTATIONS: readonly SimulatedMachine[] = [
  {
    name: 'bosun',
    hardware: 'workstation',
    load: { memory: 0.93, use: 0.67, cpu: 0.08, hostMemory: 0.28 },
    quirks: { throttledGpu: 1 },
    place: SHELF,
  },
  {
    name: 'quay',
    hardware: 'workstation',
    load: { memory: 0.51, use: 0.31, cpu: 0.05, hostMemory: 0.22 },
    quirks: { hasFarAdapter: true },
    place: SHELF,
    changes: [
      {
        ...lasting(20),
        quirks: {
          failingReadings: [{ reading: 'system', reason: 'sensors: no answer within 5 s', code: 'timeout' }],
        },
      },
    ],
  },
  // Idle, and measured far below its week: nothing reports a reason.
  {
    name: 'anchor',
    hardware: 'radeon-box',
    load: { memory: 0.47, use: 0.05, cpu: 0.06, hostMemory: 0.22 },
    place: SHELF,
    quirks: {
      throttledGpu: 0,
      checksOthers: true,
      diskFreeShare: 0.03,
      gpuErrors: [
        { gpu: 0, kind: 'reset', xid: 0, atSeconds: -5_400, text: 'amdgpu: GPU reset(1) succeeded!' },
        {
          gpu: 0,
          kind: 'reset-failed',
          xid: 0,
          atSeconds: -600,
          text: 'amdgpu: GPU reset end with ret = -62',
        },
      ],
    },
  },
];

const SERVERS: readonly SimulatedMachine[] = [
  {
    name: 'rack-1',
    hardware: 'gpu-server',
    load: { memory: 0.72, use: 0.91, cpu: 0.12, hostMemory: 0.31 },
    quirks: { gpuLinkCount: 18 },
    changes: [
      {
        ...lasting(55),
        quirks: {
          failedGpus: [{ gpu: 3, state: 'lost', reason: 'Unknown Error' }],
          gpuErrors: [
            { gpu: 3, kind: 'xid', xid: 79, atSeconds: 55, text: 'GPU has fallen off the bus.' },
            { gpu: 1, kind: 'xid', xid: 94, atSeconds: 55, text: 'Contained memory error' },
          ],
        },
      },
    ],
  },
  {
    name: 'rack-2',
    hardware: 'gpu-server',
    load: { memory: 0.44, use: 0.35, cpu: 0.08, hostMemory: 0.18 },
    quirks: {
      checksOthers: true,
      gpuLinkCount: 18,
      waitingRdmaPorts: [5],
      portFaults: [
        { port: 'ens1f0np0', counter: 'carrierChanges', lastHour: 14 },
        { port: 'mlx5_2', counter: 'symbolErrors', lastHour: 480 },
        { port: '0000:06:00.0', counter: 'pcieCorrected', lastHour: 2_400 },
      ],
      failedGpus: [{ gpu: 5, state: 'needs-reset', reason: '[GPU requires reset]' }],
      gpuHealths: [
        { gpu: 1, uncorrectedErrors: 2, isRepairPending: true },
        { gpu: 2, hasRepairFailed: true },
        { gpu: 4, fabricFaults: ['bandwidth degraded'] },
        { gpu: 6, linksDown: 2 },
        { gpu: 7, recoveryAction: 'Drain and Reset' },
      ],
      gpuErrors: [
        {
          gpu: 4,
          kind: 'sxid',
          xid: 20_034,
          atSeconds: -900,
          text: 'Fatal, Link 32 LTSSM Fault Up',
        },
      ],
    },
  },
];

/** In another place, over adapters that report no rate. */
const VIRTUAL: SimulatedMachine = {
  name: 'vm-1',
  hardware: 'cpu-vm',
  load: { memory: 0.33, use: 0.2, cpu: 0.2 },
  quirks: { hasNoEthernetRate: true },
  place: CLOUD,
};

/** Whom everything on the switch reaches. */
const SWITCHED: readonly Cable[] = [HERMES, PIP, SPARK_1, SPARK_2, BOSUN, QUAY, ANCHOR, RACK_1, RACK_2].map(
  other => cable(ATLAS, other, 'ethernet', { roundTripNs: 190_000 + other * 3_000 }),
);

const CABLES: readonly Cable[] = [
  ...SWITCHED,
  // A ring of bridges.
  cable(ATLAS, HERMES, 'thunderbolt-rdma'),
  cable(HERMES, JUNO, 'thunderbolt-rdma'),
  // Unplugged for ten minutes: Wi-Fi is left.
  cable(ATLAS, JUNO, 'thunderbolt-rdma', {
    outages: [{ fromSeconds: 60, seconds: 600, everySeconds: 840 }],
  }),
  cable(ATLAS, JUNO, 'wifi', { bitsPerSecondToA: 0.731e9, bitsPerSecondToB: 0.884e9 }),
  cable(ATLAS, PIP, 'thunderbolt-rdma'),
  // Somebody copies over it, and everybody else waits.
  cable(JUNO, SPARK_1, 'wifi', { queueNs: 240_000_000 }),
  // The only cable between the two: cut, plugged in again, cut again.
  cable(SPARK_1, SPARK_2, 'roce', { outages: [{ fromSeconds: 45, seconds: 150, everySeconds: 270 }] }),
  // Negotiates 10 Gb/s all the time.
  cable(BOSUN, QUAY, 'direct', {
    slowed: { fromSeconds: 30, bitsPerSecond: 0.94e9, retransmits: 8_412 },
  }),
  // A third below its week, which a cable of 10 Gb/s may still be.
  cable(BOSUN, ANCHOR, 'ethernet', {
    bitsPerSecondToA: 6.52e9,
    bitsPerSecondToB: 6.48e9,
    usualBitsPerSecond: 9.4e9,
    retransmits: 311,
  }),
  cable(RACK_1, RACK_2, 'infiniband'),
  // The card at one end fell off the bus: InfiniBand is left.
  cable(RACK_1, RACK_2, 'direct', {
    bitsPerSecondToA: 94.1e9,
    bitsPerSecondToB: 94.3e9,
    outages: [{ ...lasting(80), goneAt: RACK_2 }],
  }),
  // The firewall of anchor lets nothing in.
  cable(ANCHOR, RACK_2, 'ethernet', { firewallOf: ANCHOR }),
  // From the shelf to the cloud nothing reports what it should carry: one of four is far below the others.
  cable(SPARK_2, VM_1, 'ethernet', { roundTripNs: 610_000 }),
  cable(BOSUN, VM_1, 'ethernet', {
    bitsPerSecondToA: 2.1e9,
    bitsPerSecondToB: 2.2e9,
    roundTripNs: 640_000,
  }),
  cable(QUAY, VM_1, 'ethernet', { roundTripNs: 620_000 }),
  cable(ANCHOR, VM_1, 'ethernet', { roundTripNs: 590_000 }),
  // Far below the Ethernet of the same two.
  cable(QUAY, VM_1, 'other', { bitsPerSecondToA: 0.71e9, bitsPerSecondToB: 0.69e9 }),
  // Far slower in one direction, and nothing else joins the two.
  cable(RACK_1, VM_1, 'other', { bitsPerSecondToA: 4.61e9, bitsPerSecondToB: 0.88e9 }),
];

const ABSENCES: readonly Absence[] = [
  // Killed.
  { machine: PIP, fromSeconds: 90, seconds: 300, everySeconds: 480 },
  // Its daemon is restarted.
  { machine: VM_1, fromSeconds: 110, seconds: 40, everySeconds: 300, isOrderly: true },
];

export const FAULTS: Scenario = {
  name: 'faults',
  machines: [...MACS, ...SPARKS, ...WORKSTATIONS, ...SERVERS, VIRTUAL],
  cables: CABLES,
  absences: ABSENCES,
};
