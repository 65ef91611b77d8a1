// Intel: inventory and loads from the sysfs of i915 and xe.

import type { GpuDevice, GpuLoad } from '../../core/node/gpu.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { labelled, numbered } from '../drm/card-sensors.ts';
import { isAsleep, PCI_VENDORS, sleepingLoad } from '../drm/drm-cards.ts';
import { drmProcesses, readDrmClients } from '../drm/drm-clients.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { pcieLink, whyNoCard } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNames, sysfsNumber } from '../drm/sysfs-file.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { poll } from '../poll.ts';
import { SeenGpus } from '../seen-gpus.ts';
import { findIntelCards, type IntelCard, NO_LINK, readIntelDevice } from './read-intel-device.ts';

export const intelInventoryGatherer = (
  { root, intervals }: MachineAccess,
  seen: SeenGpus = new SeenGpus(root),
): Gatherer => ({
  name: 'intel-inventory',
  reports: [INVENTORY],
  intervalMs: intervals.identityMs,
  gather: async session => {
    if (!(await isHere({ root, intervals }, INVENTORY, session))) return;
    let known: readonly GpuDevice[] = [];
    await poll(session, intervals.identityMs, async () => {
      const cards = await findIntelCards(root);
      const devices = await Promise.all(
        cards.map(async (card, index) => {
          const before = known.find(device => device.deviceId === card.address);
          return before !== undefined && (await isAsleep(card))
            ? { ...before, index }
            : readIntelDevice(card, index, root);
        }),
      );
      known = devices;
      const failed = await seen.complete({ devices, failed: [] }, session.clock.nowMs());
      session.emit(SOURCE, { kind: 'gpus', value: { vendor: 'intel', devices, failed } });
    });
  },
});

export const intelLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'intel-loads',
  reports: [LOADS],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    if (await isHere(machine, LOADS, session)) await pollLoads(machine, session);
  },
});

const pollLoads = async ({ root, intervals }: MachineAccess, session: GatherSession): Promise<void> => {
  const meters = new Map<string, EnergyMeter>();
  const nowMs = (): number => session.clock.nowMs();
  let cards: readonly IntelCard[] = [];
  let processes: ReadonlyMap<string, GpuLoad['processes']> = new Map();
  let foundAtMs = Number.NEGATIVE_INFINITY;
  await poll(session, intervals.gpuMs, async () => {
    if (nowMs() - foundAtMs >= intervals.identityMs) {
      cards = await findIntelCards(root);
      const clients = await readDrmClients(root);
      processes = new Map(
        await Promise.all(
          cards.map(
            async card =>
              [card.address, await drmProcesses(root, clients, { ...card, more: undefined })] as const,
          ),
        ),
      );
      foundAtMs = nowMs();
      for (const address of meters.keys()) {
        if (!cards.some(card => card.address === address)) meters.delete(address);
      }
    }
    const loads = await Promise.all(
      cards.map(card => {
        const meter = meters.get(card.address) ?? new EnergyMeter();
        meters.set(card.address, meter);
        return readIntelLoad(card, meter, nowMs);
      }),
    );
    const devices = loads.map(load => ({ ...load, processes: processes.get(load.deviceId) ?? NOT_LISTED }));
    session.emit(SOURCE, { kind: 'gpuLoads', value: { vendor: 'intel', devices } });
  });
};

/** Reports if this machine has no Intel GPU, and waits for one. @throws Error with the reason when it has one without a driver. */
const isHere = (
  { root, intervals }: Pick<MachineAccess, 'root' | 'intervals'>,
  kind: GatheredKind,
  session: GatherSession,
): Promise<boolean> =>
  gpuIsHere(session, {
    root,
    intervalMs: intervals.identityMs,
    isHere: async () => {
      if ((await findIntelCards(root)).length > 0) return true;
      const reason = await whyNoCard(root, PCI_VENDORS.intel, { brand: 'Intel', driver: 'i915 or xe' });
      if (reason !== undefined) throw new Error(reason);
      return false;
    },
    onAbsent: () => session.absent(kind, SOURCE, 'no Intel GPU'),
  });

const NOT_LISTED = unknown('the card was not there when processes were read');
const SOURCE = 'sysfs drm';
const INVENTORY = { reading: 'gpus', vendor: 'intel' } as const;
const LOADS = { reading: 'gpuLoads', vendor: 'intel' } as const;

// Load of an Intel card, as far as sysfs reports it: clock, temperature, energy, and why it is throttled. Utilization
// and used memory are reported per process only.
const readIntelLoad = async (card: IntelCard, meter: EnergyMeter, nowMs: () => number): Promise<GpuLoad> => {
  if (await isAsleep(card)) return sleepingLoad(card);
  const perProcess = unknown('the driver reports it only per process');
  const temperature = await firstKnown(
    () => labelled(card.hwmon, 'temp', 'pkg', 'input'),
    () => numbered(card.hwmon, 'temp1_input'),
    () => numbered(card.hwmon, 'temp2_input'),
  );
  const energy = await energyOf(card);
  return {
    deviceId: card.address,
    use: perProcess,
    memoryUsedBytes: card.isIntegrated ? unknown('unified memory') : perProcess,
    memoryReservedUsedBytes: card.isIntegrated ? unknown('not reported by this driver') : 0,
    temperatureCelsius: isUnknown(temperature) ? temperature : temperature / 1_000,
    powerWatts: isUnknown(energy) ? energy : meter.watts(energy, nowMs()),
    clockMhz: await clock(card),
    pcieNow: card.linkPath === undefined ? unknown(NO_LINK) : await pcieLink(card.linkPath, 'current'),
    throttleReasons: await throttleReasons(card),
    processes: unknown('this source does not report them'),
  };
};

/** Of the card, else of its chip: some cards have a counter of the card that stays at 0. */
const energyOf = async (card: IntelCard): Promise<Reported<number>> => {
  const counters = await Promise.all([
    labelled(card.hwmon, 'energy', 'card', 'input'),
    labelled(card.hwmon, 'energy', 'pkg', 'input'),
    numbered(card.hwmon, 'energy1_input'),
    numbered(card.hwmon, 'energy2_input'),
  ]);
  return counters.find(counter => isKnown(counter) && counter > 0) ?? counters.find(isKnown) ?? counters[0];
};

/** The highest of the card's engines' clocks; 0 when all sleep. */
const clock = async (card: IntelCard): Promise<Reported<number>> => {
  const own = await sysfsNumber(below(card.cardPath, 'gt_act_freq_mhz'));
  if (!isUnknown(own)) return own;
  let highest: Reported<number> = own;
  for (const folder of await engineFolders(card)) {
    const mhz = await firstKnown(
      () => sysfsNumber(below(folder, 'freq0/act_freq')),
      () => sysfsNumber(below(folder, 'rps_act_freq_mhz')),
    );
    if (!isUnknown(mhz)) highest = isUnknown(highest) ? mhz : Math.max(highest, mhz);
  }
  return highest;
};

/** Files reason_pl1 (xe) or throttle_reason_pl1 (i915) that read 1. */
const throttleReasons = async (card: IntelCard): Promise<Reported<readonly string[]>> => {
  let isStated = false;
  const reasons = new Set<string>();
  for (const engine of await engineFolders(card)) {
    for (const folder of [below(engine, 'freq0/throttle'), engine]) {
      for (const file of await sysfsNames(folder)) {
        const reason = /^(?:throttle_)?reason_([a-z0-9_]+)$/.exec(file)?.[1];
        if (reason === undefined || reason === 'status') continue;
        const flag = await sysfsNumber(below(folder, file));
        if (isUnknown(flag)) continue;
        isStated = true;
        if (flag !== 0) reasons.add(reason);
      }
    }
  }
  return isStated ? [...reasons] : unknown('not reported by this driver');
};

/** tile0/gt0 of xe, gt/gt0 of i915. */
const engineFolders = async (card: IntelCard): Promise<readonly MachinePath[]> => {
  const folders: MachinePath[] = [];
  for (const parent of [...card.tilePaths, below(card.cardPath, 'gt')]) {
    for (const name of await sysfsNames(parent)) if (/^gt\d+$/.test(name)) folders.push(below(parent, name));
  }
  return folders;
};

/** Mean power between two readings of an energy counter. */
export class EnergyMeter {
  #last: { readonly microjoules: number; readonly atMs: number } | undefined;

  /**
   * `microjoules` is the value of the counter, read at `atMs` of a monotonic clock. Unknown for the first reading and if the
   * counter went back: it restarts with the driver, and drivers widen it in software, so where it would wrap is not
   * known. An impossibly large step is unknown too.
   */
  watts(microjoules: number, atMs: number): Reported<number> {
    const last = this.#last;
    this.#last = { microjoules, atMs };
    if (last === undefined) return unknown('measured from the second reading on');
    if (atMs <= last.atMs) return unknown('no time between two readings');
    if (microjoules < last.microjoules) return unknown('the energy counter was reset');
    const watts = (microjoules - last.microjoules) / (atMs - last.atMs) / 1_000;
    return watts > WATTS_MAX ? unknown('the energy counter jumped') : watts;
  }
}

const WATTS_MAX = 10_000;
