// Processor power from the energy counters of RAPL (Documentation/power/powercap/powercap.rst). Only package domains:
// cores, uncore and memory are parts of them, and intel-rapl-mmio counts the same packages a second time.

import { digitsIn, isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';

interface EnergyCounter {
  readonly path: string;
  /** The value at which the counter wraps to 0, in microjoules. */
  readonly rangeMicrojoules: number;
}

export const findPackageCounters = (files: MachineFiles): readonly EnergyCounter[] => {
  const zones = files.namesNow('/sys/class/powercap');
  if (isUnreadable(zones)) return [];
  return [...zones].sort().flatMap(zone => {
    if (!/^(?:intel|amd)-rapl:\d+$/.test(zone)) return [];
    const path = `/sys/class/powercap/${zone}`;
    if (!/^package-\d+$/.test(textOr(files.textNow(`${path}/name`), ''))) return [];
    const rangeMicrojoules = digitsIn(textOr(files.textNow(`${path}/max_energy_range_uj`), undefined));
    return [{ path: `${path}/energy_uj`, rangeMicrojoules: rangeMicrojoules ?? 0 }];
  });
};

export interface EnergyReading {
  readonly atMs: number;
  readonly microjoules: number;
}

/** Undefined if the counter went back without a known range, or no time has passed. */
export const wattsBetween = (
  before: EnergyReading,
  after: EnergyReading,
  rangeMicrojoules: number,
): number | undefined => {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0) return undefined;
  let microjoules = after.microjoules - before.microjoules;
  if (microjoules < 0) microjoules += rangeMicrojoules;
  const watts = microjoules / 1e6 / seconds;
  // A counter reset by a suspend looks like one that wrapped: no package draws this much.
  return watts < 0 || watts > PACKAGE_WATTS_MAX ? undefined : watts;
};

const PACKAGE_WATTS_MAX = 2_000;
