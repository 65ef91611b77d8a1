// One amdgpu card with the paths of its changing values, found once and read many times.

import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { findHwmon, type Hwmon } from '../drm/card-sensors.ts';
import { type DrmCard, findDrmCards, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { bridgesAbove } from '../drm/pci-bus.ts';
import { sysfsBytes, sysfsNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { meminfoBytes } from '../procfs/parse-meminfo.ts';
import { amdMemory, isOnRootBus, type SharedMemory, sharedMemory } from './amd-memory.ts';

export interface AmdCard extends DrmCard {
  readonly hwmon: Hwmon | undefined;
  /** The PCI device whose link leads out of the card. */
  readonly linkPath: MachinePath;
  /** Of one that is part of a processor; undefined for a card with memory of its own. */
  readonly shared: SharedMemory | undefined;
}

/** Cards of drivers other than amdgpu are listed too; they report little. */
export const findAmdCards = async (root: MachinePath): Promise<readonly AmdCard[]> => {
  const found = await Promise.all(
    (await findDrmCards(root, PCI_VENDORS.amd)).map(async card => {
      const hwmon = await findHwmon(card.devicePath, ['amdgpu', 'radeon']);
      return { ...card, hwmon, linkPath: await linkPathOf(card), isShared: await isShared(card, hwmon) };
    }),
  );
  const sharing = found.filter(card => card.isShared).length;
  const hostBytes = sharing === 0 ? NOT_READ : await hostBytesOf(root);
  return Promise.all(
    found.map(async ({ isShared: shares, ...card }) => ({
      ...card,
      shared: shares
        ? sharedMemory({
            reservedBytes: await sysfsNumber(below(card.devicePath, 'mem_info_vram_total')),
            gttBytes: await sysfsNumber(below(card.devicePath, 'mem_info_gtt_total')),
            hostBytes: isUnknown(hostBytes) ? hostBytes : Math.floor(hostBytes / sharing),
          })
        : undefined,
    })),
  );
};

/** AMD's graphics cards hold one or two bridges of their own, by the vendor id of the graphics, not of the processor. */
const linkPathOf = async (card: DrmCard): Promise<MachinePath> => {
  let path = card.devicePath;
  for (const bridge of await bridgesAbove(card.devicePath)) {
    if (bridge.vendor !== PCI_VENDORS.amd) break;
    path = bridge.path;
  }
  return path;
};

const isShared = async (card: DrmCard, hwmon: Hwmon | undefined): Promise<boolean> => {
  const isSuspended = await isAsleep(card);
  // A u16 size, then the format.
  const metrics = isSuspended ? NOT_READ : await sysfsBytes(below(card.devicePath, 'gpu_metrics'), 4);
  const kind = amdMemory({
    device: card.device,
    metricsFormat: isUnknown(metrics) ? undefined : metrics.bytes[2],
    hasNorthBridge: hwmon?.stems.has('in vddnb') === true,
    hasReplayCount: (await sysfsNames(card.devicePath)).includes('pcie_replay_count'),
    isRadeon: card.driver === 'radeon',
    isOnRootBus: isOnRootBus(card.address),
    isAsleep: isSuspended,
  });
  return kind === 'shared';
};

const hostBytesOf = async (root: MachinePath): Promise<Reported<number>> => {
  const meminfo = await sysfsText(below(root, 'proc/meminfo'));
  return isUnknown(meminfo) ? meminfo : meminfoBytes(meminfo, 'MemTotal');
};

const NOT_READ = unknown('not read');
