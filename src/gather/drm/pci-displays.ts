// Display controllers and accelerators on the PCI bus, with or without a driver: tells "its driver is not installed"
// from "not in this machine".

import { join } from 'node:path';
import { isUnknown } from '../../core/unknown.ts';
import { isServerDisplay, ueventValue } from './drm-cards.ts';
import { sysfsNames, sysfsText } from './sysfs-file.ts';

export interface PciDisplay {
  readonly address: string;
  /** Undefined where no driver has claimed it. */
  readonly driver: string | undefined;
}

export const findPciDisplays = async (root: string, vendor: number): Promise<readonly PciDisplay[]> => {
  const folder = join(root, 'sys/bus/pci/devices');
  const displays: PciDisplay[] = [];
  for (const address of (await sysfsNames(folder)).slice(0, DEVICES_MAX)) {
    const uevent = await sysfsText(join(folder, address, 'uevent'));
    if (isUnknown(uevent)) continue;
    const [foundVendor, device] = (ueventValue(uevent, 'PCI_ID') ?? '').split(':');
    const pciClass = (ueventValue(uevent, 'PCI_CLASS') ?? '').padStart(6, '0').toLowerCase();
    if (Number.parseInt(foundVendor ?? '', 16) !== vendor || !DISPLAY_CLASS.test(pciClass)) continue;
    if (isServerDisplay(vendor, Number.parseInt(device ?? '', 16))) continue;
    displays.push({ address: address.toLowerCase(), driver: ueventValue(uevent, 'DRIVER') });
  }
  return displays;
};

/**
 * Why there is no DRM card of a vendor although the machine has such a device; undefined where it has none.
 * `brand` and `driver` as a person knows them: "AMD", "amdgpu".
 */
export const whyNoCard = async (
  root: string,
  vendor: number,
  names: { readonly brand: string; readonly driver: string },
): Promise<string | undefined> => {
  const [display] = await findPciDisplays(root, vendor);
  if (display === undefined) return undefined;
  return display.driver === undefined
    ? `the ${names.brand} GPU ${display.address} has no driver: ${names.driver} is not loaded`
    : `the ${names.brand} GPU ${display.address} runs on the driver ${display.driver}, which shows no card`;
};

/** VGA 0300, 3D 0302, other display 0380, processing accelerator 1200. */
const DISPLAY_CLASS = /^(03[0-9a-f]{4}|1200[0-9a-f]{2})$/;
const DEVICES_MAX = 4_096;
