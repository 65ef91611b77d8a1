// The graphics cards that the kernel's DRM drivers own: /sys/class/drm/card*. Only cards on PCI count, so virtual
// displays, and the extra cards of compute partitions, which have no PCI device, are skipped.

import type { GpuLoad } from '../../core/node/gpu.ts';
import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { sysfsNames, sysfsText } from './sysfs-file.ts';

export const PCI_VENDORS = { nvidia: 0x10de, amd: 0x1002, intel: 0x8086 } as const;

export interface DrmCard {
  /** /sys/class/drm/card0 */
  readonly cardPath: MachinePath;
  /** Its PCI device: /sys/class/drm/card0/device */
  readonly devicePath: MachinePath;
  /** "0000:c1:00.0", lower case. */
  readonly address: string;
  readonly vendor: number;
  readonly device: number;
  /** Kernel module: "amdgpu", "xe". */
  readonly driver: string;
}

/** Cards of one PCI vendor in the order of their addresses, which is stable while the card numbers are not. */
export const findDrmCards = async (root: MachinePath, vendor: number): Promise<readonly DrmCard[]> => {
  const folder = below(root, 'sys/class/drm');
  const names = (await sysfsNames(folder)).filter(name => /^card\d+$/.test(name)).slice(0, CARDS_MAX);
  const cards = await Promise.all(names.map(name => readCard(below(folder, name), vendor)));
  return cards
    .filter(card => card !== undefined)
    .filter((card, at, all) => all.findIndex(other => other.address === card.address) === at)
    .sort((a, b) => (a.address < b.address ? -1 : 1));
};

/** The lines KEY=value of a uevent file. */
export const ueventValue = (uevent: string, key: string): string | undefined =>
  uevent
    .split('\n')
    .find(line => line.startsWith(`${key}=`))
    ?.slice(key.length + 1)
    .trim();

const readCard = async (cardPath: MachinePath, vendor: number): Promise<DrmCard | undefined> => {
  const devicePath = below(cardPath, 'device');
  const uevent = await sysfsText(below(devicePath, 'uevent'));
  if (isUnknown(uevent)) return undefined;
  const address = ueventValue(uevent, 'PCI_SLOT_NAME')?.toLowerCase();
  const ids = /^([0-9a-f]{4}):([0-9a-f]{4})$/i.exec(ueventValue(uevent, 'PCI_ID') ?? '');
  if (address === undefined || ids === null || Number.parseInt(ids[1] ?? '', 16) !== vendor) return undefined;
  const device = Number.parseInt(ids[2] ?? '', 16);
  const driver = ueventValue(uevent, 'DRIVER') ?? 'none';
  if (isServerDisplay(vendor, device)) return undefined;
  return { cardPath, devicePath, address, vendor, device, driver };
};

/** ATI chips on server boards that only draw the console of the management controller. */
export const isServerDisplay = (vendor: number, device: number): boolean =>
  vendor === PCI_VENDORS.amd && SERVER_DISPLAYS.has(device);

/** A card that the kernel has put to sleep must not be queried: most files of its driver wake it. */
export const isAsleep = async (card: DrmCard): Promise<boolean> =>
  (await sysfsText(below(card.devicePath, 'power/runtime_status'))) === 'suspended';

export const ASLEEP: Unknown = unknown('asleep to save power', 'asleep');

export const sleepingLoad = (card: DrmCard): GpuLoad => {
  const reason = ASLEEP;
  return {
    deviceId: card.address,
    use: reason,
    memoryUsedBytes: reason,
    memoryReservedUsedBytes: reason,
    temperatureCelsius: reason,
    powerWatts: reason,
    clockMhz: reason,
    pcieNow: reason,
    throttleReasons: reason,
    processes: reason,
  };
};

const CARDS_MAX = 128;
/** Rage XL, Rage XC, ES1000 (two ids). */
const SERVER_DISPLAYS: ReadonlySet<number> = new Set([0x4752, 0x4756, 0x515e, 0x5969]);
