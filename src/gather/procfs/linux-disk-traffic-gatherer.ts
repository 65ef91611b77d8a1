// What the disks of a Linux machine carry, once a second by one read. No process is started.

import { type CountedDisk, withDiskRates } from '../../core/node/disk-traffic.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { parseDiskstats } from './parse-diskstats.ts';

export const linuxDiskTrafficGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'procfs-disk-traffic',
  reports: [DISK_TRAFFIC],
  intervalMs: intervals.trafficMs,
  gather: async session => {
    const { clock } = session;
    let before: ReadonlyMap<string, CountedDisk> = new Map();
    let readAtMs = Number.NaN;
    let whole: ReadonlySet<string> = new Set();
    let lookedAtMs = Number.NEGATIVE_INFINITY;
    await poll(session, intervals.trafficMs, () => {
      const nowMs = clock.nowMs();
      if (nowMs - lookedAtMs >= intervals.diskMs) {
        const names = files.namesNow('/sys/block');
        if (isUnreadable(names)) throw readFailed(names);
        whole = new Set(names);
        lookedAtMs = nowMs;
      }
      const text = files.textNow('/proc/diskstats');
      if (isUnreadable(text)) throw readFailed(text);
      // No file name holds a slash: what /proc calls cciss/c0d0 is cciss!c0d0 in /sys.
      const disks = parseDiskstats(text, name => whole.has(name.replaceAll('/', '!')));
      if (disks === undefined) throw new Error('/proc/diskstats is not of the form that Linux writes');
      const seconds = (nowMs - readAtMs) / 1_000;
      const devices = disks.map(disk => withDiskRates(disk, before.get(disk.name), seconds));
      before = new Map(disks.map(disk => [disk.name, disk]));
      readAtMs = nowMs;
      session.emit('procfs', { kind: 'diskTraffic', value: { devices } });
    });
  },
});

const DISK_TRAFFIC: GatheredKind = { reading: 'diskTraffic', vendor: 'none' };
