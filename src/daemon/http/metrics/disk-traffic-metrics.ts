// What disks have carried, as counters: rates of any length come from `rate(…)`.

import type { NodeDiskTraffic } from '../../../core/node/disk-traffic.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addDiskTraffic = (
  page: MetricPage,
  traffic: NodeDiskTraffic | undefined,
  labels: Labels,
): void => {
  for (const { name, readBytes, writtenBytes, reads, writes, busyMs } of traffic?.devices ?? []) {
    const diskLabels = { ...labels, disk: name };
    page.counter(DISK.bytes, { ...diskLabels, direction: 'read' }, readBytes);
    page.counter(DISK.bytes, { ...diskLabels, direction: 'write' }, writtenBytes);
    page.counter(DISK.requests, { ...diskLabels, direction: 'read' }, reads);
    page.counter(DISK.requests, { ...diskLabels, direction: 'write' }, writes);
    page.counter(DISK.busy, diskLabels, busyMs / 1_000);
  }
};

const DISK = {
  bytes: { name: 'plimsoll_disk_io_bytes_total', help: 'Bytes that a disk has read or written.' },
  requests: { name: 'plimsoll_disk_io_requests_total', help: 'Reads and writes that it has completed.' },
  busy: { name: 'plimsoll_disk_io_busy_seconds_total', help: 'Time in which it was busy.' },
} as const;
