// What the disks of a node carry now: the counters of each block device, and what they grew by since the reading before. A volume on
// several devices, or encrypted, is counted once for each layer: a sum over devices says nothing.

import { type Reported, unknown } from '../unknown.ts';
import type { Gathered } from './gathered.ts';

export interface NodeDiskTraffic {
  readonly devices: readonly DiskTraffic[];
}

export interface DiskTraffic {
  /** As the kernel names it: "nvme0n1", "md0". */
  readonly name: string;
  /** Since the device is there. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly reads: number;
  readonly writes: number;
  /** Time in which it had something to do. */
  readonly busyMs: number;
  /** Not of a first reading, nor after the counters began anew. */
  readonly rates: Reported<DiskRates>;
}

/** A type alias, so that it is assignable to `Reported`'s index signature. */
export type DiskRates = {
  readonly readBytesPerSecond: number;
  readonly writtenBytesPerSecond: number;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** 0..1; a device that serves many at once may be busy all the time and have room. */
  readonly busyShare: number;
};

/** The counters of a device as a source tells them. */
export type CountedDisk = Omit<DiskTraffic, 'rates'>;

/** @param seconds between the two. */
export const withDiskRates = (
  disk: CountedDisk,
  before: CountedDisk | undefined,
  seconds: number,
): DiskTraffic => {
  if (before === undefined || !(seconds > 0)) return { ...disk, rates: unknown('needs two readings') };
  const grown = (of: 'readBytes' | 'writtenBytes' | 'reads' | 'writes' | 'busyMs'): number =>
    (disk[of] - before[of]) / seconds;
  const rates = {
    readBytesPerSecond: grown('readBytes'),
    writtenBytesPerSecond: grown('writtenBytes'),
    readsPerSecond: grown('reads'),
    writesPerSecond: grown('writes'),
    busyShare: Math.min(1, grown('busyMs') / 1_000),
  };
  return {
    ...disk,
    rates: Object.values(rates).some(rate => rate < 0) ? unknown('its counters began anew') : rates,
  };
};

/** Its row of the table of kinds. */
export const DISK_TRAFFIC_KINDS = {
  'diskTraffic.gathered': {
    class: 'live',
    field: 'nodeDiskTraffics',
    shape: 'node',
    entriesMax: 1,
    key: (_: Gathered<NodeDiskTraffic>): string => '',
    title: 'Disk traffic',
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', name: 'plain' },
  },
} as const;
