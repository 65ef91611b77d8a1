// GPUs as the PCI bus shows them: display controllers and accelerators with or without a driver, which separates "its
// driver is not installed" from "not in this machine", and the links in front of them. Many cards contain a small
// switch, and the GPU's own link is then inside the card: the caller gives the number of levels up to the real one.

import { dirname } from 'node:path';
import type { PcieLink } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { isServerDisplay, ueventValue } from './drm-cards.ts';
import { sysfsNames, sysfsNumber, sysfsText } from './sysfs-file.ts';

interface PciDisplay {
  readonly address: string;
  /** Undefined if no driver has claimed it. */
  readonly driver: string | undefined;
}

export const findPciDisplays = async (root: MachinePath, vendor: number): Promise<readonly PciDisplay[]> => {
  const folder = below(root, 'sys/bus/pci/devices');
  const displays: PciDisplay[] = [];
  for (const address of (await sysfsNames(folder)).slice(0, DEVICES_MAX)) {
    const uevent = await sysfsText(below(folder, address, 'uevent'));
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
 * Why there is no DRM card of a vendor although the machine has such a device; undefined if it has none.
 * `brand` and `driver` are the usual names: "AMD", "amdgpu".
 */
export const whyNoCard = async (
  root: MachinePath,
  vendor: number,
  names: { readonly brand: string; readonly driver: string },
): Promise<string | undefined> => {
  const [display] = await findPciDisplays(root, vendor);
  if (display === undefined) return undefined;
  return display.driver === undefined
    ? `the ${names.brand} GPU ${display.address} has no driver: ${names.driver} is not loaded`
    : `the ${names.brand} GPU ${display.address} runs on the driver ${display.driver}, which shows no card`;
};

/** `which`: the current link, or the best that this device supports. */
export const pcieLink = async (
  pciPath: MachinePath,
  which: 'current' | 'max',
): Promise<Reported<PcieLink>> => {
  const speed = await sysfsText(below(pciPath, `${which}_link_speed`));
  if (isUnknown(speed)) return speed;
  const generation = pcieGeneration(speed);
  if (isUnknown(generation)) return generation;
  const width = await sysfsNumber(below(pciPath, `${which}_link_width`));
  if (isUnknown(width)) return width;
  // The kernel prints 0 for a link that is down and 255 for a width that it could not read.
  return width < 1 || width > 32 ? unknown('the link is down') : { generation, width };
};

/** "16.0 GT/s PCIe", and "16 GT/s" of older kernels. */
export const pcieGeneration = (speed: string): Reported<number> => {
  const rate = /^(\d{1,3}(?:\.\d)?) ?GT\/s/.exec(speed)?.[1];
  const generation = rate === undefined ? -1 : GENERATION_RATES.indexOf(Number(rate));
  return generation < 1 ? unknown(`not a PCIe speed: ${speed.slice(0, 40)}`) : generation;
};

interface PciBridge {
  readonly path: MachinePath;
  readonly vendor: number;
}

/** The bridges above a PCI device, nearest first. */
export const bridgesAbove = async (pciPath: MachinePath): Promise<readonly PciBridge[]> => {
  const bridges: PciBridge[] = [];
  const { tree } = pciPath;
  let path: string;
  try {
    path = dirname(await tree.realPath(pciPath.path));
  } catch {
    return []; // the device has gone
  }
  for (; bridges.length < DEPTH_MAX; path = dirname(path)) {
    const bridge = { tree, path };
    const uevent = await sysfsText(below(bridge, 'uevent'));
    if (isUnknown(uevent)) break;
    const pciClass = ueventValue(uevent, 'PCI_CLASS');
    const vendor = Number.parseInt(ueventValue(uevent, 'PCI_ID')?.split(':')[0] ?? '', 16);
    if (pciClass?.padStart(6, '0').startsWith('0604') !== true || Number.isNaN(vendor)) break;
    bridges.push({ path: bridge, vendor });
  }
  return bridges;
};

/** VGA 0300, 3D 0302, other display 0380, processing accelerator 1200. */
const DISPLAY_CLASS = /^(03[0-9a-f]{4}|1200[0-9a-f]{2})$/;
const DEVICES_MAX = 4_096;
const DEPTH_MAX = 16;
/** GT/s by generation. */
const GENERATION_RATES: readonly number[] = [0, 2.5, 5, 8, 16, 32, 64, 128];
