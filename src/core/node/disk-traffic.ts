// Current load of a node's disks: the counters of each block device, and their increase since the previous
// reading. A volume on several devices, or encrypted, is counted once for each layer, so a sum over devices
// is meaningless.

import { counter, type Infer, list, openObject, reported, share, text } from '../schema.ts';
import { unknown } from '../unknown.ts';
import { gathered } from './gathered.ts';

const diskRatesSchema = openObject({
  readBytesPerSecond: counter,
  writtenBytesPerSecond: counter,
  readsPerSecond: counter,
  writesPerSecond: counter,
  /** 0..1; a device that serves many requests at once may be busy all the time and still have room. */
  busyShare: share,
});

export type DiskRates = Infer<typeof diskRatesSchema>;

const diskTrafficSchema = openObject({
  /** As the kernel names it: "nvme0n1", "md0". */
  name: text,
  /** Since the device appeared. */
  readBytes: counter,
  writtenBytes: counter,
  reads: counter,
  writes: counter,
  /** Time in which it was busy, ms. */
  busyMs: counter,
  /** Missing in a first reading, and after a reset of the counters. */
  rates: reported(diskRatesSchema),
});

export type DiskTraffic = Infer<typeof diskTrafficSchema>;

const nodeDiskTrafficSchema = openObject({ devices: list(diskTrafficSchema) });

export type NodeDiskTraffic = Infer<typeof nodeDiskTrafficSchema>;

/** The counters of a device as a source reports them. */
export type CountedDisk = Omit<DiskTraffic, 'rates'>;

/** @param seconds between the two readings. */
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
    rates: Object.values(rates).some(rate => rate < 0) ? unknown('its counters were reset') : rates,
  };
};

/** Its row of the table of kinds. */
export const DISK_TRAFFIC_KINDS = {
  'diskTraffic.gathered': {
    class: 'live',
    field: 'nodeDiskTraffics',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(nodeDiskTrafficSchema),
    title: 'Disk traffic',
    absentOn: { macos: 'not read on macOS' },
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', name: 'plain' },
  },
} as const;
