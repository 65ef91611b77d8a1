// What an Intel card is, as far as sysfs reports it.

import { join } from 'node:path';
import type { GpuDevice } from '../../core/node/gpu.ts';
import type { Reported } from '../../core/unknown.ts';
import { isKnown, isUnknown, unknown } from '../../core/unknown.ts';
import { labelled, numbered } from '../drm/card-sensors.ts';
import { hex4, PCI_IDS_PLACES, pciIdsName, readNameList } from '../drm/device-names.ts';
import { ASLEEP, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { pcieLink } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import type { IntelCard } from './intel-card.ts';

export const readIntelDevice = async (card: IntelCard, index: number, root: string): Promise<GpuDevice> => {
  const kernel = await sysfsText(join(root, 'proc/sys/kernel/osrelease'));
  const name = pciIdsName(await readNameList(root, PCI_IDS_PLACES), PCI_VENDORS.intel, card.device);
  return {
    deviceId: card.address,
    index,
    name: name === undefined ? `Intel GPU 0x${hex4(card.device)}` : `Intel ${name}`,
    memoryTotalBytes: card.isIntegrated ? unknown('unified memory') : await memoryTotal(card),
    memoryIsUnified: card.isIntegrated,
    memoryReservedBytes: card.isIntegrated ? unknown('not reported by this driver') : 0,
    driver: isUnknown(kernel) ? card.driver : `${card.driver} of Linux ${kernel}`,
    runtime: unknown('not reported by sysfs'),
    architecture: unknown('not reported by sysfs'),
    coreCount: unknown('not reported by sysfs'),
    pcieMax: card.linkPath === undefined ? unknown(NO_LINK) : await pcieLink(card.linkPath, 'max'),
    powerLimitWatts: (await isAsleep(card)) ? ASLEEP : await powerLimit(card),
    partitions: [],
  };
};

export const NO_LINK = 'the device shows no PCIe link of its own';

/** xe reports each tile's memory; i915 the card's, and only in Intel's own builds. */
const memoryTotal = async (card: IntelCard): Promise<Reported<number>> => {
  const tiles = await Promise.all(
    card.tilePaths.map(tile =>
      firstKnown(
        () => sysfsNumber(join(tile, 'physical_vram_size_bytes')),
        () => sysfsNumber(join(tile, 'memory/physical_vram_size_bytes')),
      ),
    ),
  );
  const known = tiles.filter(isKnown);
  if (known.length > 0 && known.length === tiles.length)
    return known.reduce<number>((sum, bytes) => sum + bytes, 0);
  const bytes = await firstKnown(
    () => sysfsNumber(join(card.cardPath, 'lmem_total_bytes')),
    () => sysfsNumber(join(card.devicePath, 'lmem_total_bytes')),
  );
  return isUnknown(bytes) || bytes <= 0 ? unknown('not reported by this driver') : bytes;
};

/** µW; 0 is a limit that is switched off. */
const powerLimit = async (card: IntelCard): Promise<Reported<number>> => {
  const limit = await firstKnown(
    () => labelled(card.hwmon, 'power', 'card', 'max'),
    () => numbered(card.hwmon, 'power1_max'),
    () => numbered(card.hwmon, 'power1_rated_max'),
  );
  if (isUnknown(limit)) return limit;
  return limit <= 0 ? unknown('no power limit') : limit / 1_000_000;
};
