// Fleets past two hundred machines: racks of sixteen of one kind at three sites. A machine reaches its own rack and its
// counterpart in the next one, and each two racks have one pair: what a fleet measures of itself in a day (probe/schedule).

import type { Absence } from '../absence.ts';
import type { HardwareName } from '../hardware.ts';
import { rackPlace } from './racks.ts';
import {
  type Cable,
  type CableKind,
  cable,
  type MachineQuirks,
  type Scenario,
  type SimulatedMachine,
} from './scenario.ts';

export const fleet = (count: number): Scenario => ({
  name: `fleet of ${count}`,
  machines: Array.from({ length: count }, (_, index) => fleetMachine(index, count)),
  cables: [...withinRacks(count), ...betweenRacks(count)],
  absences: ABSENCES.filter(({ machine }) => machine < count),
});

const fleetMachine = (index: number, count: number): SimulatedMachine => {
  const rack = rackOf(index);
  const slot = index % RACK_SIZE;
  const busy = ((index * 37) % 100) / 100;
  const quirks = QUIRKS.get(index);
  return {
    name: `r${String(rack + 1).padStart(2, '0')}-${String(slot + 1).padStart(2, '0')}`,
    hardware: hardwareOf(index),
    load: {
      memory: quirks?.swapUsedBytes === undefined ? 0.2 + 0.6 * busy : 0.93,
      use: 0.1 + 0.85 * busy,
      cpu: 0.05 + 0.2 * busy,
      hostMemory: 0.2,
    },
    speed: 0.98 + ((index * 13) % 40) / 1_000,
    place: rackPlace(rack, rackOf(count - 1) + 1),
    ...(quirks === undefined ? {} : { quirks }),
  };
};

const withinRacks = (count: number): readonly Cable[] => {
  const cables: Cable[] = [];
  for (let a = 0; a < count; a += 1)
    for (let b = a + 1; b < Math.min(count, (rackOf(a) + 1) * RACK_SIZE); b += 1)
      cables.push(fleetCable(a, b));
  return cables;
};

const betweenRacks = (count: number): readonly Cable[] => {
  const pairs = new Map<string, readonly [number, number]>();
  const add = (a: number, b: number): void => {
    if (a < count && b < count) pairs.set(`${a} ${b}`, [a, b]);
  };
  for (let a = 0; a < count; a += 1) add(a, a + RACK_SIZE);
  const rackCount = rackOf(count - 1) + 1;
  for (let one = 0; one < rackCount; one += 1)
    for (let other = one + 1; other < rackCount; other += 1) {
      const machines = Math.min(RACK_SIZE, count - other * RACK_SIZE);
      add(
        one * RACK_SIZE + ((one * 7 + other * 3) % RACK_SIZE),
        other * RACK_SIZE + ((one + other * 5) % machines),
      );
    }
  return [...pairs.values()].map(([a, b]) => fleetCable(a, b));
};

const fleetCable = (a: number, b: number): Cable => {
  const kind: CableKind =
    hardwareOf(a) === 'gpu-server' && hardwareOf(b) === 'gpu-server' ? 'infiniband' : 'ethernet';
  const isPoor = POOR_CABLES.some(([from, to]) => from === a && to === b);
  const vary = 1 - ((a * 7 + b * 13) % 23) / 1_000;
  const best = kind === 'infiniband' ? 392e9 : 9.4e9;
  return cable(a, b, kind, {
    bitsPerSecondToA: best * vary,
    bitsPerSecondToB: isPoor ? best * 0.11 : best * vary,
    ...(isPoor ? { retransmits: 9_184, usualBitsPerSecond: best } : {}),
    ...(kind === 'infiniband' ? {} : { roundTripNs: 180_000 + ((a * 7 + b * 13) % 60) * 1_000 }),
  });
};

const rackOf = (index: number): number => Math.floor(index / RACK_SIZE);

const hardwareOf = (index: number): HardwareName => KINDS[rackOf(index) % KINDS.length] ?? 'gpu-server';

const RACK_SIZE = 16;
const KINDS: readonly HardwareName[] = [
  'gpu-server',
  'gpu-server',
  'workstation',
  'gpu-server',
  'dgx-spark',
  'gpu-server',
  'radeon-box',
];
/** One within a rack, one between two; few at any size, because a viewer looks at each. */
const POOR_CABLES: readonly (readonly [number, number])[] = [
  [18, 21],
  [70, 86],
];
const QUIRKS: ReadonlyMap<number, MachineQuirks> = new Map([
  [34, { swapUsedBytes: 3.1e9 }],
  [69, { swapUsedBytes: 11.4e9 }],
  [3, { servesModel: true }],
  [102, { throttledGpu: 2 }],
  [37, { throttledGpu: 1 }],
]);
/** One that is gone for good, one that comes and goes. */
const ABSENCES: readonly Absence[] = [
  { machine: 83, fromSeconds: -3_600, seconds: 1e9, everySeconds: 2e9 },
  { machine: 147, fromSeconds: -41, seconds: 300, everySeconds: 900 },
];
