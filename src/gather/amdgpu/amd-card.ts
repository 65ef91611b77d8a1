// One amdgpu card with the paths of its changing values, found once and read many times.

import { join } from 'node:path';
import { isUnknown } from '../../core/unknown.ts';
import type { Hwmon } from '../drm/card-sensors.ts';
import { findHwmon } from '../drm/card-sensors.ts';
import type { DrmCard } from '../drm/drm-cards.ts';
import { findDrmCards, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { bridgesAbove } from '../drm/pci-bus.ts';
import { sysfsBytes } from '../drm/sysfs-file.ts';

export interface AmdCard extends DrmCard {
  readonly hwmon: Hwmon | undefined;
  /** The PCI device whose link leads out of the card. */
  readonly linkPath: string;
  /** Part of a processor, with the host's memory. */
  readonly isIntegrated: boolean;
}

/** Cards of drivers other than amdgpu are listed too; they report little. */
export const findAmdCards = async (root: string): Promise<readonly AmdCard[]> =>
  Promise.all(
    (await findDrmCards(root, PCI_VENDORS.amd)).map(async card => ({
      ...card,
      hwmon: await findHwmon(card.devicePath, ['amdgpu', 'radeon']),
      linkPath: await linkPathOf(card),
      isIntegrated: await isIntegrated(card),
    })),
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

/**
 * The header of gpu_metrics is u16 size, u8 format, u8 content (kgd_pp_interface.h): format 1 is a discrete card, 2 and
 * 3 are processors with graphics. The MI300A has format 1 and shares its memory all the same.
 */
const isIntegrated = async (card: DrmCard): Promise<boolean> => {
  if (card.device === MI300A) return true;
  // Graphics in a processor do not sleep this way; reading the table would wake a card that does.
  if (await isAsleep(card)) return false;
  const metrics = await sysfsBytes(join(card.devicePath, 'gpu_metrics'), 4);
  const format = isUnknown(metrics) ? undefined : metrics.bytes[2];
  return format === 2 || format === 3;
};

const MI300A = 0x74a0;
