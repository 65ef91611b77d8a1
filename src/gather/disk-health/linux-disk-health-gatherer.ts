// Health of the disks of a Linux machine from sysfs: hwmon of NVMe and, with the module drivetemp, of SATA drives; state and worn
// life from the folder of the device. No process is started, and no drive is woken: the driver answers.

import { maximumOf } from '../../core/extremes.ts';
import type { DiskHealth } from '../../core/node/disk-health.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { parseMillidegrees } from '../hwmon/cpu-temperature.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, type MachineFiles, notRead, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { DISKS_MAX } from '../procfs/parse-diskstats.ts';

export const linuxDiskHealthGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'sysfs-disk-health',
  reports: [DISK_HEALTH],
  intervalMs: intervals.diskMs,
  gather: async session => {
    await poll(session, intervals.diskMs, async () => {
      const names = files.namesNow('/sys/block');
      if (isUnreadable(names)) throw readFailed(names);
      const disks: DiskHealth[] = [];
      for (const name of [...names].sort()) {
        if (disks.length === DISKS_MAX) break;
        const health = await healthOf(files, name);
        // A virtual disk, or one whose driver exports nothing.
        if ([health.state, health.temperatureCelsius, health.wornShare].some(isKnown)) disks.push(health);
      }
      session.emit('sysfs', { kind: 'diskHealth', value: { disks } });
    });
  },
});

const healthOf = async (files: MachineFiles, name: string): Promise<DiskHealth> => {
  const device = `/sys/block/${name}/device`;
  const hwmon = hwmonFolder(files, device);
  const celsius = async (file: string): Promise<Reported<number>> =>
    hwmon === undefined
      ? unknown('the driver exports no temperature', 'no-sensor')
      : await degreesIn(files, `${hwmon}/${file}`);
  return {
    name,
    model: await textIn(files, `${device}/model`),
    state: await textIn(files, `${device}/state`),
    temperatureCelsius: await celsius('temp1_input'),
    criticalCelsius: await celsius('temp1_crit'),
    wornShare: await wornShare(files, `${device}/life_time`),
  };
};

/** In the folder of the device, in its folder hwmon, or in that of a controller where several lead to one disk. */
const hwmonFolder = (files: MachineFiles, device: string): string | undefined => {
  const within = (folder: string, pattern: RegExp): readonly string[] => {
    const names = files.namesNow(folder);
    return isUnreadable(names)
      ? []
      : [...names]
          .filter(name => pattern.test(name))
          .sort()
          .map(name => `${folder}/${name}`);
  };
  const folders = [device, ...within(device, /^nvme\d+$/)];
  return folders.flatMap(folder => [...within(folder, HWMON), ...within(`${folder}/hwmon`, HWMON)])[0];
};

const textIn = async (files: MachineFiles, path: string): Promise<Reported<string>> => {
  const read = await files.text(path);
  if (isUnreadable(read)) return notRead(read);
  const line = read.trim();
  return line === '' ? unknown('the driver exports an empty text') : line;
};

const degreesIn = async (files: MachineFiles, path: string): Promise<Reported<number>> => {
  const read = await files.text(path);
  if (isUnreadable(read)) return notRead(read);
  return parseMillidegrees(read.trim()) ?? unknown('the sensor gives no plausible temperature');
};

/**
 * Of eMMC: two estimates, of its two kinds of cells, each in steps of 10 % (0x01 is up to 10 %, 0x0a up to 100 %, 0x0b beyond;
 * JESD84-B51, DEVICE_LIFE_TIME_EST_TYP_A and _B). The worse one counts.
 */
const wornShare = async (files: MachineFiles, path: string): Promise<Reported<number>> => {
  const read = await files.text(path);
  if (isUnreadable(read))
    return unknown('the driver exports no worn life; the drive reports it: smartctl -a');
  const steps = read
    .trim()
    .split(/\s+/)
    .map(word => (/^0x[0-9a-f]{1,2}$/i.test(word) ? Number(word) : 0));
  const worst = maximumOf(steps);
  return worst >= 1 && worst <= 11 ? Math.min(1, worst / 10) : unknown('the drive reports no estimate');
};

const DISK_HEALTH: GatheredKind = { reading: 'diskHealth', vendor: 'none' };
const HWMON = /^hwmon\d+$/;
