// The health of simulated GPUs: what a card of a data centre tells that has run for years without a fault.

import type { Fact } from '../core/event-kinds.ts';
import type { GpuHealth } from '../core/node/gpu-health.ts';
import { unknown } from '../core/unknown.ts';
import { DURABLE_INTERVAL_MS, deviceId, SIMULATED_SOURCE } from './durable-readings.ts';
import type { GpuHardware } from './hardware.ts';
import { seedOf } from './noise.ts';
import type { Site } from './site.ts';

/** None of cards that do not check their memory, nor of those that share it with the host. */
export const gpuHealthFacts = ({ hardware, index }: Site): readonly Fact[] => {
  const [first] = hardware.gpus;
  if (first?.vendor !== 'nvidia' || first.memoryBytes === undefined) return [];
  const devices = hardware.gpus.map((gpu, at) => healthOf(gpu, deviceId(gpu, index, at)));
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
      payload: { source: SIMULATED_SOURCE, intervalMs: DURABLE_INTERVAL_MS, value: { errors: [] } },
    },
  ];
};

const healthOf = ({ name }: GpuHardware, id: string): GpuHealth => {
  const checksMemory = DATA_CENTRE.test(name);
  const no = unknown('not available on this device', 'not-offered');
  const corrected = seedOf(11, id) % 3;
  const none = checksMemory ? 0 : no;
  return {
    deviceId: id,
    eccVolatile: { corrected: none, uncorrected: none },
    eccAggregate: { corrected: checksMemory ? corrected : no, uncorrected: none },
    repair: {
      rowsAfterCorrected: none,
      rowsAfterUncorrected: none,
      retiredPages: no,
      isPending: checksMemory ? false : no,
      hasFailed: checksMemory ? false : no,
    },
    pcieReplays: 0,
    recoveryAction: '',
    links: unknown('not simulated'),
  };
};

const DATA_CENTRE = /\b(?:[ABHL]\d{2,3}|GH\d{3}|GB\d{3})\b/;
