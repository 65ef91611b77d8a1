// What an Intel card is, as far as sysfs reports it.

import type { GpuDevice } from '../../core/node/gpu.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { findHwmon, type Hwmon, labelled, numbered } from '../drm/card-sensors.ts';
import { hex4, PCI_IDS_PATHS, pciIdsName, readNameList } from '../drm/device-names.ts';
import { ASLEEP, type DrmCard, findDrmCards, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { bridgesAbove, pcieLink } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { below, type MachinePath } from '../machine-path.ts';

export const readIntelDevice = async (
  card: IntelCard,
  index: number,
  root: MachinePath,
): Promise<GpuDevice> => {
  const kernel = await sysfsText(below(root, 'proc/sys/kernel/osrelease'));
  const name =
    pciIdsName(await readNameList(root, PCI_IDS_PATHS), PCI_VENDORS.intel, card.device) ??
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
        () => sysfsNumber(below(tile, 'physical_vram_size_bytes')),
        () => sysfsNumber(below(tile, 'memory/physical_vram_size_bytes')),
      ),
    ),
  );
  const known = tiles.filter(isKnown);
  if (known.length > 0 && known.length === tiles.length)
    return known.reduce<number>((sum, bytes) => sum + bytes, 0);
  const bytes = await firstKnown(
    () => sysfsNumber(below(card.cardPath, 'lmem_total_bytes')),
    () => sysfsNumber(below(card.devicePath, 'lmem_total_bytes')),
  );
  return isUnknown(bytes) || bytes <= 0 ? modelMemory(card) : bytes;
};

/** Of a model with two sizes the one that fills the window to its memory (BAR 2), if the firmware opens all of it (resizable BAR). */
const modelMemory = async (card: IntelCard): Promise<Reported<number>> => {
  const sizes = intelModel(card.device)?.memoryGib ?? [];
  const [size] = sizes;
  if (size === undefined) return unknown('not reported by this driver');
  if (sizes.length === 1) return size * GIB;
  const resources = await sysfsText(below(card.devicePath, 'resource'));
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

// One Intel card, of the driver i915 or xe, with the paths of its changing values. The drivers keep the same figures in
// different paths.
export interface IntelCard extends DrmCard {
  readonly hwmon: Hwmon | undefined;
  /** The PCI device whose link leads out of the card; undefined if the card's own figure is a placeholder. */
  readonly linkPath: MachinePath | undefined;
  readonly isIntegrated: boolean;
  /** Of xe: /sys/class/drm/card0/device/tile0, tile1… */
  readonly tilePaths: readonly MachinePath[];
}

export const findIntelCards = async (root: MachinePath): Promise<readonly IntelCard[]> =>
  Promise.all(
    (await findDrmCards(root, PCI_VENDORS.intel)).map(async card => {
      const tiles = (await sysfsNames(card.devicePath)).filter(name => /^tile\d+$/.test(name));
      const isIntegrated = INTEGRATED_ADDRESS.test(card.address);
      return {
        ...card,
        hwmon: await findHwmon(card.devicePath, ['i915', 'xe']),
        linkPath: isIntegrated ? undefined : await linkPathOf(card),
        isIntegrated,
        tilePaths: tiles.map(tile => below(card.devicePath, tile)),
      };
    }),
  );

/**
 * A discrete card is a switch with the GPU behind it: GPU, downstream port, upstream port, and above it the host. The
 * GPU's own link then always reads 2.5 GT/s, one lane.
 */
const linkPathOf = async (card: DrmCard): Promise<MachinePath | undefined> => {
  const own = await pcieLink(card.devicePath, 'max');
  if (!isUnknown(own) && (own.generation > 1 || own.width > 1)) return card.devicePath;
  const [, upstream, host] = await bridgesAbove(card.devicePath);
  return upstream?.vendor === PCI_VENDORS.intel && host !== undefined ? upstream.path : undefined;
};

/** Graphics in a processor have been device 2 of bus 0 in every generation. */
const INTEGRATED_ADDRESS = /^[0-9a-f]{4}:00:02\.\d$/;

// What is known of Intel's graphics by the PCI id alone: the name, for machines without a list of names (pci.ids) or with one that is
// older than the card, and the memory of cards of which there is one size, because the drivers report it nowhere in sysfs. From
// pci.ids, Mesa (include/pci_ids) and Intel's product pages (ark.intel.com).
interface IntelModel {
  readonly name: string;
  /** GiB as sold; several if cards of this id differ. */
  readonly memoryGib: readonly number[];
}

const intelModel = (device: number): IntelModel | undefined => {
  const [name, ...memoryGib] = MODELS.get(device) ?? [];
  return name === undefined ? undefined : { name, memoryGib };
};

const MODELS: ReadonlyMap<number, readonly [name: string, ...memoryGib: readonly number[]]> = new Map<
  number,
  readonly [name: string, ...memoryGib: readonly number[]]
>([
  // Alchemist (DG2)
  [0x56a0, ['Arc A770', 8, 16]],
  [0x56a1, ['Arc A750', 8]],
  [0x56a2, ['Arc A580', 8]],
  [0x56a5, ['Arc A380', 6]],
  [0x56a6, ['Arc A310', 4]],
  [0x5690, ['Arc A770M', 16]],
  [0x5691, ['Arc A730M', 12]],
  [0x5692, ['Arc A550M', 8]],
  [0x5693, ['Arc A370M', 4]],
  [0x5694, ['Arc A350M', 4]],
  [0x56b0, ['Arc Pro A30M', 4]],
  [0x56b1, ['Arc Pro A40/A50', 6]],
  [0x56b2, ['Arc Pro A60M', 8]],
  [0x56b3, ['Arc Pro A60', 12]],
  [0x56c0, ['Data Center GPU Flex 170']],
  [0x56c1, ['Data Center GPU Flex 140']],
  // Battlemage
  [0xe20b, ['Arc B580', 12]],
  [0xe20c, ['Arc B570', 10]],
  [0xe211, ['Arc Pro B60', 24]],
  [0xe212, ['Arc Pro B50', 16]],
  // Ponte Vecchio
  [0x0bd5, ['Data Center GPU Max 1550']],
  [0x0bd6, ['Data Center GPU Max 1550']],
  [0x0bd9, ['Data Center GPU Max 1100']],
  [0x0bda, ['Data Center GPU Max 1100']],
  [0x0bdb, ['Data Center GPU Max 1100']],
  // In processors
  [0x9a40, ['Iris Xe Graphics (Tiger Lake)']],
  [0x9a49, ['Iris Xe Graphics (Tiger Lake)']],
  [0x9a78, ['UHD Graphics (Tiger Lake)']],
  [0x46a6, ['Iris Xe Graphics (Alder Lake)']],
  [0x46a8, ['Iris Xe Graphics (Alder Lake)']],
  [0x46aa, ['Iris Xe Graphics (Alder Lake)']],
  [0xa7a0, ['Iris Xe Graphics (Raptor Lake)']],
  [0xa7a1, ['Iris Xe Graphics (Raptor Lake)']],
  [0xa780, ['UHD Graphics 770 (Raptor Lake)']],
  [0x7d55, ['Arc Graphics (Meteor Lake)']],
  [0x7d51, ['Arc Graphics (Arrow Lake)']],
  [0x64a0, ['Arc Graphics 130V/140V (Lunar Lake)']],
]);
