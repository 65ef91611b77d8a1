// The health of simulated GPUs: what cards tell that have run for years without a fault, with ECC on.

import type { Fact } from '../core/event-kinds.ts';
import type { GpuError } from '../core/node/gpu-errors.ts';
import type { GpuHealth } from '../core/node/gpu-health.ts';
import { unknown } from '../core/unknown.ts';
import { DURABLE_INTERVAL_MS, deviceId, SIMULATED_SOURCE, workingGpus } from './durable-readings.ts';
import type { Moment } from './live-readings.ts';
import { seedOf } from './noise.ts';
import type { Site } from './site.ts';

/** Of NVIDIA's cards with memory of their own. */
export const gpuHealthFacts = (site: Site, { seconds }: Moment): readonly Fact[] => {
  const { hardware, index } = site;
  const [first] = hardware.gpus;
  if (first?.vendor !== 'nvidia' || first.memoryBytes === undefined) return [];
  const devices = workingGpus(site).map(({ gpu, at }) => healthOf(deviceId(gpu, index, at)));
  return [
    {
      kind: 'gpuHealths.gathered',
      payload: {
        source: SIMULATED_SOURCE,
        intervalMs: DURABLE_INTERVAL_MS,
        value: { vendor: 'nvidia', devices },
      },
    },
    {
      kind: 'gpuErrors.gathered',
      payload: {
        source: SIMULATED_SOURCE,
        intervalMs: DURABLE_INTERVAL_MS,
        value: { errors: [programFault(seconds)] },
      },
    },
  ];
};

/** What every machine has that somebody writes programs on. */
const programFault = (seconds: number): GpuError => ({
  address: '0000:01:00',
  xid: 31,
  kind: 'xid',
  count: 1,
  newestAgeMs: Math.round((10_800 + Math.max(0, seconds)) * 1_000),
  text: 'pid=4242, name=python3, Ch 00000008, MMU Fault',
});

const healthOf = (id: string): GpuHealth => ({
  deviceId: id,
  eccVolatile: { corrected: 0, uncorrected: 0 },
  eccAggregate: { corrected: seedOf(11, id) % 3, uncorrected: 0 },
  repair: {
    rowsAfterCorrected: 0,
    rowsAfterUncorrected: 0,
    retiredPages: unknown('not available on this device', 'not-offered'),
    isPending: false,
    hasFailed: false,
  },
  pcieReplays: 0,
  recoveryAction: '',
  links: unknown('not simulated'),
  fabric: unknown('not simulated'),
});
