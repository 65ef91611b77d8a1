// One amdgpu card with the paths of its changing values, found once and read many times.

import { join } from 'node:path';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { Hwmon } from '../drm/card-sensors.ts';
import { findHwmon } from '../drm/card-sensors.ts';
import type { DrmCard } from '../drm/drm-cards.ts';
import { findDrmCards, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { bridgesAbove } from '../drm/pci-bus.ts';
import { sysfsBytes, sysfsNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { meminfoBytes } from '../procfs/parse-meminfo.ts';
import { amdMemory, type SharedMemory, sharedMemory } from './amd-memory.ts';

export interface AmdCard extends DrmCard {
  readonly hwmon: Hwmon | undefined;
  /** The PCI device whose link leads out of the card. */
  readonly linkPath: string;
  /** Of one that is part of a processor; undefined for a card with memory of its own. */
  readonly shared: SharedMemory | undefined;
}

/** Cards of drivers other than amdgpu are listed too; they report little. */
export const findAmdCards = async (root: string): Promise<readonly AmdCard[]> =>
  Promise.all(
    (await findDrmCards(root, PCI_VENDORS.amd)).map(async card => {
      const hwmon = await findHwmon(card.devicePath, ['amdgpu', 'radeon']);
      return { ...card, hwmon, linkPath: await linkPathOf(card), shared: await sharedOf(card, hwmon, root) };
    }),
  );

/** AMD's graphics cards hold one or two bridges of their own, by the vendor id of the graphics, not of the processor. */
const linkPathOf = async (card: DrmCard): Promise<string> => {
  let path = card.devicePath;
  for (const bridge of await bridgesAbove(card.devicePath)) {
    if (bridge.vendor !== PCI_VENDORS.amd) break;
    path = bridge.path;
  }
  return path;
};

const sharedOf = async (
  card: DrmCard,
  hwmon: Hwmon | undefined,
  root: string,
): Promise<SharedMemory | undefined> => {
  const isSuspended = await isAsleep(card);
  // A u16 size, then the format.
  const metrics = isSuspended ? unknown('asleep') : await sysfsBytes(join(card.devicePath, 'gpu_metrics'), 4);
  const kind = amdMemory({
    device: card.device,
    metricsFormat: isUnknown(metrics) ? undefined : metrics.bytes[2],
    hasNorthBridge: hwmon?.stems.has('in vddnb') === true,
    hasReplayCount: (await sysfsNames(card.devicePath)).includes('pcie_replay_count'),
    isAsleep: isSuspended,
  });
  if (kind !== 'shared') return undefined;
  const meminfo = await sysfsText(join(root, 'proc/meminfo'));
  return sharedMemory(
    await sysfsNumber(join(card.devicePath, 'mem_info_vram_total')),
    await sysfsNumber(join(card.devicePath, 'mem_info_gtt_total')),
    isUnknown(meminfo) ? meminfo : meminfoBytes(meminfo, 'MemTotal'),
  );
};
