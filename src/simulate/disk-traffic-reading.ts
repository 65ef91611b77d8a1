// What the disk of a simulated Linux machine carries: it reads models and writes logs.

import type { Fact } from '../core/event-kinds.ts';
import { simulated } from './durable-readings.ts';
import { LIVE_INTERVAL_MS, type Moment, uptimeSecondsOf } from './live-readings.ts';
import { seedOf, unrest } from './noise.ts';
import type { Site } from './site.ts';

/** None for machines that do not report it. */
export const diskTrafficFacts = (site: Site, moment: Moment): readonly Fact[] => {
  const { machine, hardware } = site;
  if (hardware.operatingSystem.platform !== 'linux') return [];
  const rate = (way: string, mean: number): number =>
    Math.round(mean * (1 + 0.8 * unrest(seedOf(moment.seed, `${machine.name} disk ${way}`), moment.seconds)));
  const [readMean, writeMean] = [2e6 + 400e6 * machine.load.use, 1e6 + 20e6 * machine.load.cpu];
  const [readBytesPerSecond, writtenBytesPerSecond] = [rate('read', readMean), rate('write', writeMean)];
  const uptimeSeconds = uptimeSecondsOf(site, moment);
  const busyShare = Math.min(1, (readBytesPerSecond + writtenBytesPerSecond) / DISK_BYTES_PER_SECOND);
  return [
    {
      kind: 'diskTraffic.gathered',
      payload: simulated(
        {
          devices: [
            {
              name: 'nvme0n1',
              readBytes: Math.round(readMean * uptimeSeconds),
              writtenBytes: Math.round(writeMean * uptimeSeconds),
              reads: Math.round((readMean * uptimeSeconds) / REQUEST_BYTES),
              writes: Math.round((writeMean * uptimeSeconds) / REQUEST_BYTES),
              busyMs: Math.round(busyShare * uptimeSeconds * 1_000),
              rates: {
                readBytesPerSecond,
                writtenBytesPerSecond,
                readsPerSecond: readBytesPerSecond / REQUEST_BYTES,
                writesPerSecond: writtenBytesPerSecond / REQUEST_BYTES,
                busyShare,
              },
            },
          ],
        },
        LIVE_INTERVAL_MS,
      ),
    },
  ];
};

/** An NVMe drive of PCIe 4. */
const DISK_BYTES_PER_SECOND = 7e9;
const REQUEST_BYTES = 131_072;
