// Load, temperature and power of a Linux machine once a second. CPU utilization is a difference of two readings, so the
// first one is reported after a short first interval rather than as a zero.

import type { NodeSystem } from '../../core/node/system.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { Sensors } from '../hwmon/sensors.ts';
import type { MachineAccess } from '../machine-access.ts';
import { type FileText, isUnreadable, type KeptFile, notRead, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { findCoreGroups, readCpuClusters } from './cpu-clusters.ts';
import { type CpuTimes, cpuUseBetween, parseStat } from './parse-stat.ts';

export const linuxSystemGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'procfs-system',
  reports: [SYSTEM],
  intervalMs: intervals.systemMs,
  gather: async session => {
    const { clock, signal } = session;
    using stat = files.keepOpen('/proc/stat');
    using loadavg = files.keepOpen('/proc/loadavg');
    using uptime = files.keepOpen('/proc/uptime');
    using sensors = new Sensors(files, clock);
    const groups = findCoreGroups(files);
    const intervalMs = intervals.systemMs;

    let before = cpuTimesOf(stat.readNow());
    const report = async (): Promise<void> => {
      const after = cpuTimesOf(stat.readNow());
      const values = await sensors.read(SENSOR_WAIT_MS);
      const value: NodeSystem = {
        cpuUse: cpuUseBetween(before.all, after.all),
        ...values,
        loadAverage1: firstNumber(loadavg, '/proc/loadavg'),
        uptimeSeconds: firstNumber(uptime, '/proc/uptime'),
        cpuClusters: readCpuClusters(files, groups, before, after),
      };
      before = after;
      session.emit(['procfs', ...sensors.names].join(', '), { kind: 'system', value });
    };

    const firstMs = Math.min(FIRST_INTERVAL_MS, intervalMs);
    await sensors.read(SENSOR_WAIT_MS);
    try {
      await clock.sleep(firstMs, signal);
      await report();
      // Back in step with the other gatherers: a process that wakes once costs less than one that wakes twice.
      await clock.sleep(intervalMs - firstMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await poll(session, intervalMs, report);
  },
});

/** @throws when no load can be read: the source as a whole has failed. */
const cpuTimesOf = (text: FileText): CpuTimes => {
  if (isUnreadable(text)) throw readFailed(text);
  const times = parseStat(text);
  if (times === undefined) throw new Error('/proc/stat has no "cpu" line');
  return times;
};

const firstNumber = (file: KeptFile, path: string): Reported<number> => {
  const text = file.readNow();
  if (isUnreadable(text)) return notRead(text);
  const number = /^(\d{1,15}(?:\.\d{1,6})?) /.exec(text)?.[1];
  return number === undefined ? unknown(`${path} does not start with a number`) : Number(number);
};

const SYSTEM: GatheredKind = { reading: 'system', vendor: 'none' };
const FIRST_INTERVAL_MS = 100;
/** How long one reading waits for slow sensors: a quarter of the interval. */
const SENSOR_WAIT_MS = 250;
