// The PCIe link of a card. Many cards carry a small switch of their own, and the GPU's own link then is the one inside
// the card: the caller says how far up the real one is.

import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PcieLink } from '../../core/node/gpu.ts';
import type { Reported } from '../../core/unknown.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { ueventValue } from './drm-cards.ts';
import { sysfsNumber, sysfsText } from './sysfs-file.ts';

/** `which`: the link as it is, or the best that this device can do. */
export const pcieLink = async (pciPath: string, which: 'current' | 'max'): Promise<Reported<PcieLink>> => {
  const speed = await sysfsText(join(pciPath, `${which}_link_speed`));
  if (isUnknown(speed)) return speed;
  const generation = pcieGeneration(speed);
  if (isUnknown(generation)) return generation;
  const width = await sysfsNumber(join(pciPath, `${which}_link_width`));
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

export interface PciBridge {
  readonly path: string;
  readonly vendor: number;
}

/** The bridges above a PCI device, nearest first. */
export const bridgesAbove = async (pciPath: string): Promise<readonly PciBridge[]> => {
  const bridges: PciBridge[] = [];
  let path: string;
  try {
    path = dirname(await realpath(pciPath));
  } catch {
    return []; // the device has gone
  }
  for (; bridges.length < DEPTH_MAX; path = dirname(path)) {
    const uevent = await sysfsText(join(path, 'uevent'));
    if (isUnknown(uevent)) break;
    const pciClass = ueventValue(uevent, 'PCI_CLASS');
    const vendor = Number.parseInt(ueventValue(uevent, 'PCI_ID')?.split(':')[0] ?? '', 16);
    if (pciClass?.padStart(6, '0').startsWith('0604') !== true || Number.isNaN(vendor)) break;
    bridges.push({ path, vendor });
  }
  return bridges;
};

const DEPTH_MAX = 16;
/** GT/s by generation. */
const GENERATION_RATES: readonly number[] = [0, 2.5, 5, 8, 16, 32, 64, 128];
