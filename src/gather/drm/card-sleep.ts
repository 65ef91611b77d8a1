// A card that the kernel has put to sleep must not be asked: most files of its driver wake it.

import { join } from 'node:path';
import type { GpuLoad } from '../../core/node/gpu.ts';
import { unknown } from '../../core/unknown.ts';
import type { DrmCard } from './drm-cards.ts';
import { sysfsText } from './sysfs-file.ts';

export const isAsleep = async (card: DrmCard): Promise<boolean> =>
  (await sysfsText(join(card.devicePath, 'power/runtime_status'))) === 'suspended';

export const ASLEEP = 'asleep to save power';

export const sleepingLoad = (card: DrmCard): GpuLoad => {
  const reason = unknown(ASLEEP);
  return {
    deviceId: card.address,
    use: reason,
    memoryUsedBytes: reason,
    temperatureCelsius: reason,
    powerWatts: reason,
    clockMhz: reason,
    pcieNow: reason,
    throttleReasons: reason,
  };
};
