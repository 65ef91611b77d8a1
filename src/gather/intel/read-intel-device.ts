// What an Intel card is, as far as sysfs reports it.

import { join } from 'node:path';
import type { GpuDevice } from '../../core/node/gpu.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { labelled, numbered } from '../drm/card-sensors.ts';
import { hex4, PCI_IDS_PLACES, pciIdsName, readNameList } from '../drm/device-names.ts';
import { ASLEEP, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { pcieLink } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { intelModel } from './card-models.ts';
import type { IntelCard } from './intel-card.ts';

export const readIntelDevice = async (card: IntelCard, index: number, root: string): Promise<GpuDevice> => {
  const kernel = await sysfsText(join(root, 'proc/sys/kernel/osrelease'));
  const name =
    pciIdsName(await readNameList(root, PCI_IDS_PLACES), PCI_VENDORS.intel, card.device) ??
    intelModel(card.device)?.name;
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
    powerLimitDefaultWatts: unknown('not read of this driver'),
    partitions: [],
    pciAddress: card.address,
  };
};

export const NO_LINK = 'the device shows no PCIe link of its own';

/** xe reports each tile's memory, and i915 the card's, both only in Intel's own builds; else it follows from the model. */
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
  return isUnknown(bytes) || bytes <= 0 ? modelMemory(card) : bytes;
};

/** Of a model with two sizes the one that fills the window to its memory (BAR 2), if the firmware opens all of it (resizable BAR). */
const modelMemory = async (card: IntelCard): Promise<Reported<number>> => {
  const sizes = intelModel(card.device)?.memoryGib ?? [];
  const [size] = sizes;
  if (size === undefined) return unknown('not reported by this driver');
  if (sizes.length === 1) return size * GIB;
  const resources = await sysfsText(join(card.devicePath, 'resource'));
  const [, start, end] =
    /^(0x[0-9a-f]{16}) (0x[0-9a-f]{16}) /i.exec(
      isUnknown(resources) ? '' : (resources.split('\n')[2] ?? ''),
    ) ?? [];
  const windowBytes = start === undefined || end === undefined ? 0 : Number(BigInt(end) - BigInt(start)) + 1;
  const found = sizes.find(gib => gib * GIB === windowBytes);
  return found === undefined
    ? unknown(`not reported by this driver: cards of this model have ${sizes.join(' or ')} GiB`)
    : found * GIB;
};

/** µW: what may be drawn for long, of the card or else of its chip, then the burst limits. 0 is a limit that is switched off. */
const powerLimit = async (card: IntelCard): Promise<Reported<number>> => {
  const limits = await Promise.all([
    labelled(card.hwmon, 'power', 'card', 'max'),
    labelled(card.hwmon, 'power', 'pkg', 'max'),
    numbered(card.hwmon, 'power1_max'),
    numbered(card.hwmon, 'power2_max'),
    numbered(card.hwmon, 'power1_rated_max'),
    labelled(card.hwmon, 'power', 'card', 'cap'),
    labelled(card.hwmon, 'power', 'pkg', 'cap'),
  ]);
  const limit = limits.find(value => isKnown(value) && value > 0);
  if (limit !== undefined && isKnown(limit)) return limit / 1_000_000;
  return limits.some(isKnown) ? unknown('no power limit') : limits[0];
};

const GIB = 1_024 ** 3;
