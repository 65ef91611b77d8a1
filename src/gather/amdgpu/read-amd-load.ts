// Current load of an amdgpu card: a dozen small files, no process.

import type { GpuLoad } from '../../core/node/gpu.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { labelled, numbered } from '../drm/card-sensors.ts';
import { ASLEEP, isAsleep, sleepingLoad } from '../drm/drm-cards.ts';
import { pcieLink } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { below } from '../machine-path.ts';
import type { AmdCard } from './amd-card.ts';

export const readAmdLoad = async (card: AmdCard): Promise<GpuLoad> => {
  if (await isAsleep(card)) return sleepingLoad(card);
  const [use, memory, temperature, power, clockMhz, pcieNow] = await Promise.all([
    sysfsNumber(below(card.devicePath, 'gpu_busy_percent')),
    memoryUsed(card),
    firstKnown(
      () => labelled(card.hwmon, 'temp', 'edge', 'input'),
      () => labelled(card.hwmon, 'temp', 'junction', 'input'),
      // The driver radeon, and amdgpu before Linux 4.19, have one sensor without a label.
      () => numbered(card.hwmon, 'temp1_input'),
    ),
    firstKnown(
      () => numbered(card.hwmon, 'power1_average'),
      () => numbered(card.hwmon, 'power1_input'),
    ),
    clock(card),
    card.shared !== undefined ? unknown('on the chip, no PCIe link') : pcieLink(card.linkPath, 'current'),
  ]);
  return {
    deviceId: card.address,
    use: shareOf(use),
    ...memory,
    temperatureCelsius: isUnknown(temperature) ? temperature : temperature / 1_000,
    powerWatts: wattsOf(power),
    clockMhz,
    pcieNow,
    throttleReasons: unknown('amdgpu reports it only in a binary table'),
    processes: unknown('this source does not report them'),
  };
};

/** Nothing important is reported, and the card is not just asleep. */
export const isMute = (load: GpuLoad): boolean =>
  !isKnown(load.use) &&
  load.use.code !== ASLEEP.code &&
  !isKnown(load.powerWatts) &&
  !isKnown(load.temperatureCelsius);

const shareOf = (percent: Reported<number>): Reported<number> => {
  if (isUnknown(percent)) return percent;
  return percent < 0 || percent > 100 ? unknown(`not a share: ${percent} %`) : percent / 100;
};

/**
 * µW. A second die of one package reports 0, because the first one reports for both; a running device always draws
 * power.
 */
const wattsOf = (microwatts: Reported<number>): Reported<number> => {
  if (isUnknown(microwatts)) return microwatts;
  return microwatts <= 0 ? unknown('the driver reports 0: not measured here') : microwatts / 1_000_000;
};

/** Graphics in a processor use their reserved part and, beyond it, pages of the host (GTT): what counts is what the total counts. */
const memoryUsed = async (
  card: AmdCard,
): Promise<Pick<GpuLoad, 'memoryUsedBytes' | 'memoryReservedUsedBytes'>> => {
  const own = await sysfsNumber(below(card.devicePath, 'mem_info_vram_used'));
  if (card.shared === undefined) return { memoryUsedBytes: own, memoryReservedUsedBytes: 0 };
  const reserved = { memoryReservedUsedBytes: own };
  if (card.shared.isReservedOnly || isUnknown(own)) return { ...reserved, memoryUsedBytes: own };
  const host = await sysfsNumber(below(card.devicePath, 'mem_info_gtt_used'));
  return { ...reserved, memoryUsedBytes: isUnknown(host) ? host : own + host };
};

const clock = async (card: AmdCard): Promise<Reported<number>> => {
  const hertz = await labelled(card.hwmon, 'freq', 'sclk', 'input');
  if (!isUnknown(hertz)) return Math.round(hertz / 1_000_000);
  const table = await sysfsText(below(card.devicePath, 'pp_dpm_sclk'));
  return isUnknown(table) ? table : currentClock(table);
};

/** The marked line of a clock table: "1: 2104Mhz *". The deep sleep line reads "S: 19Mhz *". */
export const currentClock = (table: string): Reported<number> => {
  const mhz = /^\w{1,3}: ?(\d{1,6})Mhz ?\*/im.exec(table)?.[1];
  return mhz === undefined ? unknown('no clock is marked as current') : Number(mhz);
};
