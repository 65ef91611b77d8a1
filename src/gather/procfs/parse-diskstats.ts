// /proc/diskstats (Documentation/admin-guide/iostats.rst): a line for each block device and partition, with counts of sectors
// that always have 512 bytes, independent of the device.

import type { CountedDisk } from '../../core/node/disk-traffic.ts';
import { counterIn } from '../traffic-meter.ts';

export const DISKS_MAX = 64;

/** Devices as a whole that have carried anything, the most used ones of very many; undefined for what is not that file. */
export const parseDiskstats = (
  text: string,
  isWhole: (name: string) => boolean,
): readonly CountedDisk[] | undefined => {
  const lines = text.split('\n', LINES_MAX).filter(line => line.trim() !== '');
  const disks: CountedDisk[] = [];
  for (const line of lines) {
    const [, , name, reads, , sectorsRead, , writes, , sectorsWritten, , , busy] = line.trim().split(/\s+/);
    const counts = [reads, sectorsRead, writes, sectorsWritten, busy].map(counterIn);
    const [readCount, readSectors, writeCount, writtenSectors, busyMs] = counts;
    if (name === undefined || readCount === undefined || readSectors === undefined) return undefined;
    if (writeCount === undefined || writtenSectors === undefined || busyMs === undefined) return undefined;
    if (!isWhole(name) || NO_DISKS.test(name) || readCount + writeCount === 0) continue;
    disks.push({
      name,
      readBytes: readSectors * SECTOR_BYTES,
      writtenBytes: writtenSectors * SECTOR_BYTES,
      reads: readCount,
      writes: writeCount,
      busyMs,
    });
  }
  if (disks.length <= DISKS_MAX) return disks;
  const carried = ({ readBytes, writtenBytes }: CountedDisk): number => readBytes + writtenBytes;
  return disks.toSorted((a, b) => carried(b) - carried(a)).slice(0, DISKS_MAX);
};

/** Files and memory that look like disks. */
const NO_DISKS = /^(?:loop|ram|zram|sr|fd)\d/;
const SECTOR_BYTES = 512;
const LINES_MAX = 4_096;
