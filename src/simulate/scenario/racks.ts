// Clusters of any size: the mixed eight first, then racks of eight. Up to sixteen every machine reaches every other;
// beyond that a machine reaches its own rack, and its counterpart in the next one, as with leaf switches in a ring.

import type { HardwareName } from '../hardware.ts';
import {
  type Cable,
  type CableKind,
  cable,
  type MachinePlace,
  type Scenario,
  type SimulatedMachine,
} from './scenario.ts';
import { MIXED_COUNT_MAX, mixedCluster } from './small-clusters.ts';

export const RACK_SIZE = 8;
const FULL_MESH_COUNT_MAX = 16;

export const racks = (count: number): Scenario => {
  const mixed = mixedCluster(MIXED_COUNT_MAX);
  const machines = Array.from({ length: count }, (_, index) => ({
    ...(mixed.machines[index] ?? rackMachine(index)),
    place: rackPlace(rackOf(index), rackOf(count - 1) + 1),
  }));
  const cables: Cable[] = [...mixed.cables];
  for (let a = 0; a < count; a += 1)
    for (let b = Math.max(a + 1, MIXED_COUNT_MAX); b < count; b += 1) {
      if (!isCabled(a, b, count)) continue;
      const kind = kindBetween(machines[a], machines[b], rackOf(a) === rackOf(b));
      const isSlow = [a, b].some(end => machines[end]?.quirks?.ethernetBitsPerSecond === 1e9);
      cables.push(isSlow ? cable(a, b, kind, GIGABIT) : variedCable(a, b, kind));
    }
  return { name: `racks of ${count}`, machines, cables, absences: mixed.absences };
};

const rackOf = (index: number): number => Math.floor(index / RACK_SIZE);

/** Racks of one site are next to each other; their purpose changes from rack to rack. */
export const rackPlace = (rack: number, rackCount: number): MachinePlace => ({
  site: SITES[Math.floor((rack * SITES.length) / rackCount)] ?? SITES[0],
  rack: `r${String(rack + 1).padStart(2, '0')}`,
  tags: [`use=${USES[rack % USES.length] ?? USES[0]}`],
});

const isCabled = (a: number, b: number, count: number): boolean =>
  count <= FULL_MESH_COUNT_MAX ||
  rackOf(a) === rackOf(b) ||
  b - a === RACK_SIZE ||
  (a < RACK_SIZE && b === a + RACK_SIZE * rackOf(count - 1));

const rackMachine = (index: number): SimulatedMachine => {
  const rack = rackOf(index);
  const slot = index % RACK_SIZE;
  const isLast = slot === RACK_SIZE - 1;
  const hardware = isLast ? 'cpu-vm' : (RACK_KINDS[rack % RACK_KINDS.length] ?? 'cpu-vm');
  const busy = ((index * 37) % 100) / 100;
  return {
    name: `${NAMES[hardware]}-${String(rack).padStart(2, '0')}-${slot + 1}`,
    hardware,
    load: { memory: 0.2 + 0.65 * busy, use: 0.1 + 0.85 * busy, cpu: 0.05 + 0.2 * busy, hostMemory: 0.2 },
    speed: 0.98 + ((index * 13) % 40) / 1_000,
  };
};

const kindBetween = (
  a: SimulatedMachine | undefined,
  b: SimulatedMachine | undefined,
  isOneRack: boolean,
): CableKind => {
  if (!isOneRack || a === undefined || a.hardware !== b?.hardware) return 'ethernet';
  return a.hardware === 'gpu-server' ? 'infiniband' : 'ethernet';
};

const variedCable = (a: number, b: number, kind: CableKind): Cable => {
  if (kind === 'infiniband') return cable(a, b, kind);
  const isPoor = POOR_CABLES.some(([from, to]) => from === a && to === b);
  return cable(a, b, kind, {
    bitsPerSecondToB: isPoor ? 4.6e9 : 9.36e9 + ((a + b) % 7) * 7e6,
    roundTripNs: 180_000 + ((a * 7 + b * 13) % 60) * 1_000,
    ...(isPoor ? { retransmits: 870, usualBitsPerSecond: 9.4e9 } : {}),
  });
};

/**
 * Cables that lost half of one direction: one within a rack, one between two. Few at any size, because a viewer looks
 * at each.
 */
const POOR_CABLES: readonly (readonly [number, number])[] = [
  [9, 13],
  [18, 26],
];
const SITES = ['greenwich', 'leith', 'cardiff'] as const;
const USES = ['serve', 'serve', 'train', 'serve', 'batch'] as const;
/** 1 Gb/s minus frame headers. */
const GIGABIT = { bitsPerSecondToA: 0.941e9, bitsPerSecondToB: 0.939e9 };
const RACK_KINDS: readonly HardwareName[] = [
  'gpu-server',
  'mac-studio',
  'dgx-spark',
  'workstation',
  'cpu-vm',
];
const NAMES: Readonly<Record<HardwareName, string>> = {
  'gpu-server': 'hold',
  'roce-server': 'rail',
  'mac-studio': 'studio',
  'mac-mini': 'mini',
  macbook: 'book',
  'dgx-spark': 'spark',
  workstation: 'bench',
  'radeon-box': 'box',
  'cpu-vm': 'vm',
};
