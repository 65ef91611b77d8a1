// Readings that came after the committed recording was made: health and errors of a GPU, and what ports and disks carry.

import type { Fact } from '../../src/core/event-kinds.ts';
import { unknown } from '../../src/core/unknown.ts';

/** Each figure is another one, so that none can stand where another belongs. */
export const laterReadings = (deviceId: string): readonly Fact[] => {
  const gathered = <T>(source: string, value: T) => ({ source, intervalMs: 3_600_000, value });
  const rates = (bytesPerSecond: number) => ({
    bytesPerSecond,
    packetsPerSecond: bytesPerSecond / 1_448,
    errorsPerSecond: 0,
    dropsPerSecond: 0,
  });
  return [
    {
      kind: 'gpuHealths.gathered',
      payload: gathered('nvml', {
        vendor: 'nvidia',
        devices: [
          {
            deviceId,
            eccVolatile: { corrected: 7, uncorrected: 2 },
            eccAggregate: { corrected: 19, uncorrected: 3 },
            repair: {
              rowsAfterCorrected: 1,
              rowsAfterUncorrected: 4,
              retiredPages: unknown('not available on this device', 'not-offered'),
              isPending: true,
              hasFailed: false,
            },
            pcieReplays: 41,
            recoveryAction: '',
            links: unknown('not available on this device', 'not-offered'),
          },
        ],
      }),
    },
    {
      kind: 'gpuErrors.gathered',
      payload: gathered('kernel log', {
        errors: [{ address: '0000:41:00', xid: 63, count: 3, newestAgeMs: 90_000, text: 'Row remapped' }],
      }),
    },
    {
      kind: 'traffic.gathered',
      payload: gathered('sysfs', {
        ports: [
          {
            name: 'enp65s0f0',
            kind: 'interface',
            received: { bytes: 98_765_432_109, packets: 68_208_172, errors: 0, drops: 2 },
            sent: { bytes: 12_345_678_901, packets: 8_526_021, errors: 1, drops: 3 },
            rates: { received: rates(617_283_951.25), sent: rates(9_862_345.5) },
          },
          {
            name: 'mlx5_0',
            kind: 'rdma',
            received: { bytes: 500, packets: 5, errors: 0, drops: unknown('not counted') },
            sent: { bytes: 600, packets: 6, errors: 0, drops: 0 },
            rates: unknown('its counters were reset'),
          },
        ],
      }),
    },
    {
      kind: 'diskTraffic.gathered',
      payload: gathered('/proc/diskstats', {
        devices: [
          {
            name: 'nvme0n1',
            readBytes: 7_654_321_098_765,
            writtenBytes: 876_543_210_987,
            reads: 58_397_835,
            writes: 6_687_494,
            busyMs: 1_094_472,
            rates: {
              readBytesPerSecond: 1_234_567_890.5,
              writtenBytesPerSecond: 45_678_901.25,
              readsPerSecond: 9_419.1,
              writesPerSecond: 348.5,
              busyShare: 0.183,
            },
          },
        ],
      }),
    },
  ];
};
