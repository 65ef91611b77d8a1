// A rack of eight equal servers, and the eight faults that an acceptance has to find in it.

import type { Fact } from '../../../src/core/event-kinds.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import type { SeededRandom } from '../../../src/core/random.ts';
import { isKnown, type Reported } from '../../../src/core/unknown.ts';
import { type Cable, cable, type Scenario } from '../../../src/simulate/scenario/scenario.ts';

const NAMES = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'] as const;

/** Of ports of 100 Gb/s. */
const FULL = { bitsPerSecondToA: 94.1e9, bitsPerSecondToB: 94.3e9 };

/** Every two over the switch and over InfiniBand, and one cable more from r3 to r5. */
export const soundRack = (changed: { readonly slow?: Partial<Cable> } = {}): Scenario => ({
  name: 'rack',
  machines: NAMES.map(name => ({
    name,
    hardware: 'gpu-server',
    load: { memory: 0.5, use: 0.9, cpu: 0.1, hostMemory: 0.2 },
  })),
  cables: [
    ...NAMES.flatMap((_, a) =>
      NAMES.slice(a + 1).flatMap((__, at) => {
        const b = a + 1 + at;
        return [
          cable(a, b, 'ethernet', { ...FULL, ...(a === 0 && b === 1 ? changed.slow : {}) }),
          cable(a, b, 'infiniband'),
        ];
      }),
    ),
    cable(2, 4, 'direct', FULL),
  ],
  absences: [],
});

/** A slow cable. */
export const FAULTY_RACK: Scenario = soundRack({
  slow: { bitsPerSecondToA: 9.4e9, bitsPerSecondToB: 9.4e9, retransmits: 8_412 },
});

/** What must be found: which check, at which nodes. */
export const PLANTED: readonly {
  readonly fault: string;
  readonly check: string;
  readonly nodes: readonly string[];
}[] = [
  { fault: 'slow cable', check: 'link-rate', nodes: ['r1', 'r2'] },
  { fault: 'flapping port', check: 'port-faults', nodes: ['r3'] },
  { fault: 'flapping port, while it is watched', check: 'port-flaps', nodes: ['r3'] },
  { fault: 'throttled GPU', check: 'throttling', nodes: ['r6'] },
  { fault: 'PCIe x4', check: 'pcie-lanes', nodes: ['r7'] },
  { fault: 'growing ECC errors', check: 'ecc-corrected-growth', nodes: ['r8'] },
  { fault: 'MTU mismatch', check: 'mtu', nodes: ['r4', 'r8'] },
  { fault: 'slow node in the all-reduce', check: 'all-reduce-node', nodes: ['r2'] },
  { fault: 'memory bandwidth 20 % low', check: 'memory-bandwidth', nodes: ['r3'] },
];

/** What else such a fault shows itself by. */
export const CONSEQUENCES: readonly { readonly check: string; readonly node: string }[] = [
  { check: 'resent', node: 'r1' },
  { check: 'datagram-loss', node: 'r1' },
  { check: 'fp16-compute', node: 'r6' },
  { check: 'mtu', node: 'r8' },
  { check: 'all-reduce-16kib', node: 'r2' },
  { check: 'all-reduce-1mib', node: 'r2' },
  { check: 'copy-bandwidth', node: 'r3' },
  { check: 'all-reduce-ring', node: 'r2' },
];

/** @param slow of the slow node, for profiles that name their sink */
export const withPlantedFaults =
  (slow: NodeId | undefined) =>
  (name: string, fact: Fact, atMs: number): Fact => {
    switch (fact.kind) {
      case 'gpuLoads.gathered':
        return name === 'r6'
          ? changedLoad(fact, 2, { throttleReasons: ['HW thermal slowdown'] })
          : name === 'r7'
            ? changedLoad(fact, 1, { pcieNow: { generation: 5, width: 4 } })
            : fact;
      case 'gpuHealths.gathered':
        return name === 'r8' ? growingErrors(fact, atMs) : fact;
      case 'portHealth.gathered':
        return name === 'r3' ? loosePlug(fact, atMs) : fact;
      case 'network.gathered':
        return name === 'r8' ? jumboFrames(fact) : fact;
      case 'gpu.profiled':
        return name === 'r3' && fact.payload.deviceId.endsWith('5')
          ? lowMemory(fact)
          : name === 'r6' && fact.payload.deviceId.endsWith('2')
            ? throttledProfile(fact)
            : fact;
      case 'link.profiled':
        return name === 'r2' || fact.payload.sink === slow ? slowExchange(fact) : fact;
      default:
        return fact;
    }
  };

/** How sound parts differ in truth: more than simulated ones do. */
export const withVariation =
  (random: SeededRandom) =>
  (_name: string, fact: Fact): Fact => {
    const vary = (value: Reported<number>, share: number): Reported<number> =>
      scaled(value, 1 + share * (2 * random.next() - 1));
    switch (fact.kind) {
      case 'gpu.profiled':
        return {
          kind: fact.kind,
          payload: {
            ...fact.payload,
            fp16FlopsPerSecond: vary(fact.payload.fp16FlopsPerSecond, 0.04),
            fp32FlopsPerSecond: vary(fact.payload.fp32FlopsPerSecond, 0.04),
            memoryReadBytesPerSecond: vary(fact.payload.memoryReadBytesPerSecond, 0.02),
            memoryCopyBytesPerSecond: vary(fact.payload.memoryCopyBytesPerSecond, 0.02),
          },
        };
      case 'link.profiled':
        return {
          kind: fact.kind,
          payload: {
            ...fact.payload,
            uploadBitsPerSecond: vary(fact.payload.uploadBitsPerSecond, 0.08),
            downloadBitsPerSecond: vary(fact.payload.downloadBitsPerSecond, 0.08),
            roundTripNsP50: vary(fact.payload.roundTripNsP50, 0.2),
            allReduceNs16Kib: vary(fact.payload.allReduceNs16Kib, 0.15),
            allReduceNs1Mib: vary(fact.payload.allReduceNs1Mib, 0.15),
          },
        };
      default:
        return fact;
    }
  };

type Of<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

const changedLoad = (
  { kind, payload }: Of<'gpuLoads.gathered'>,
  at: number,
  change: Partial<Of<'gpuLoads.gathered'>['payload']['value']['devices'][number]>,
): Fact => {
  const devices = payload.value.devices.map((load, index) => (index === at ? { ...load, ...change } : load));
  return { kind, payload: { ...payload, value: { ...payload.value, devices } } };
};

const growingErrors = ({ kind, payload }: Of<'gpuHealths.gathered'>, atMs: number): Fact => {
  const devices = payload.value.devices.map((health, index) =>
    index === 2
      ? {
          ...health,
          eccVolatile: { ...health.eccVolatile, corrected: 3 + Math.floor(Math.max(0, atMs) / 10_000) },
        }
      : health,
  );
  return { kind, payload: { ...payload, value: { ...payload.value, devices } } };
};

/** Too short for any reading to show it down: only the counter of its port has it. */
const loosePlug = ({ kind, payload }: Of<'portHealth.gathered'>, atMs: number): Fact => {
  const flaps = 3 + Math.floor(Math.max(0, atMs) / 10_000);
  const ports = payload.value.ports.map((port, index) =>
    index === 0
      ? {
          ...port,
          counters: port.counters.map(counter => ({
            ...counter,
            total: 2 + 2 * flaps,
            lastHour: 2 * flaps,
          })),
        }
      : port,
  );
  return { kind, payload: { ...payload, value: { ...payload.value, ports } } };
};

/** Its neighbours have 1,500. */
const jumboFrames = ({ kind, payload }: Of<'network.gathered'>): Fact => {
  const interfaces = payload.value.interfaces.map(one =>
    one.type === 'ethernet' ? { ...one, mtuBytes: 9_000 } : one,
  );
  return { kind, payload: { ...payload, value: { ...payload.value, interfaces } } };
};

const lowMemory = ({ kind, payload }: Of<'gpu.profiled'>): Fact => ({
  kind,
  payload: {
    ...payload,
    memoryReadBytesPerSecond: scaled(payload.memoryReadBytesPerSecond, 0.8),
    memoryCopyBytesPerSecond: scaled(payload.memoryCopyBytesPerSecond, 0.8),
  },
});

const throttledProfile = ({ kind, payload }: Of<'gpu.profiled'>): Fact => ({
  kind,
  payload: { ...payload, fp16FlopsPerSecond: scaled(payload.fp16FlopsPerSecond, 0.72) },
});

const slowExchange = ({ kind, payload }: Of<'link.profiled'>): Fact => {
  const slow: LinkProfile = {
    ...payload,
    allReduceNs16Kib: scaled(payload.allReduceNs16Kib, 2.4),
    allReduceNs1Mib: scaled(payload.allReduceNs1Mib, 2.4),
  };
  return { kind, payload: slow };
};

const scaled = (value: Reported<number>, factor: number): Reported<number> =>
  isKnown(value) ? value * factor : value;
