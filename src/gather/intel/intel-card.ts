// One Intel card, of the driver i915 or xe, with the paths of its changing values. The drivers keep the same figures in
// different places.

import { join } from 'node:path';
import { isUnknown } from '../../core/unknown.ts';
import { findHwmon, type Hwmon } from '../drm/card-sensors.ts';
import { type DrmCard, findDrmCards, PCI_VENDORS } from '../drm/drm-cards.ts';
import { bridgesAbove, pcieLink } from '../drm/pci-bus.ts';
import { sysfsNames } from '../drm/sysfs-file.ts';

export interface IntelCard extends DrmCard {
  readonly hwmon: Hwmon | undefined;
  /** The PCI device whose link leads out of the card; undefined if the card's own figure is a placeholder. */
  readonly linkPath: string | undefined;
  readonly isIntegrated: boolean;
  /** Of xe: /sys/class/drm/card0/device/tile0, tile1… */
  readonly tilePaths: readonly string[];
}

export const findIntelCards = async (root: string): Promise<readonly IntelCard[]> =>
  Promise.all(
    (await findDrmCards(root, PCI_VENDORS.intel)).map(async card => {
      const tiles = (await sysfsNames(card.devicePath)).filter(name => /^tile\d+$/.test(name));
      const isIntegrated = INTEGRATED_ADDRESS.test(card.address);
      return {
        ...card,
        hwmon: await findHwmon(card.devicePath, ['i915', 'xe']),
        linkPath: isIntegrated ? undefined : await linkPathOf(card),
        isIntegrated,
        tilePaths: tiles.map(tile => join(card.devicePath, tile)),
      };
    }),
  );

/**
 * A discrete card is a switch with the GPU behind it: GPU, downstream port, upstream port, and above it the host. The
 * GPU's own link then always reads 2.5 GT/s, one lane.
 */
const linkPathOf = async (card: DrmCard): Promise<string | undefined> => {
  const own = await pcieLink(card.devicePath, 'max');
  if (!isUnknown(own) && (own.generation > 1 || own.width > 1)) return card.devicePath;
  const [, upstream, host] = await bridgesAbove(card.devicePath);
  return upstream?.vendor === PCI_VENDORS.intel && host !== undefined ? upstream.path : undefined;
};

/** Graphics in a processor have been device 2 of bus 0 in every generation. */
const INTEGRATED_ADDRESS = /^[0-9a-f]{4}:00:02\.\d$/;
