// Measures the processors of a machine without a GPU. Its figures are marked as such everywhere and never summed with
// those of GPUs.

import { ownUserId, trustedSearchPath } from '../../../native/library-search.ts';
import { entryUrl } from '../../../process/entry.ts';
import { runProbeChild } from '../../probe-child.ts';
import { outcomeOf } from '../device-answer.ts';
import type { DeviceEngine, EngineOptions } from '../device-engine.ts';
import { CPU_REQUEST, type CpuRequest } from './cpu-request.ts';

export const cpuEngine = (
  { env, nodePath }: EngineOptions,
  request: CpuRequest = CPU_REQUEST,
): DeviceEngine => ({
  name: 'cpu',
  suits: device => device.vendor === 'cpu',
  measure: async (device, signal) => {
    const answer = await runProbeChild({
      entry: entryUrl(import.meta.url, './cpu-process.ts'),
      request,
      nodePath,
      env: { ...env, LD_LIBRARY_PATH: trustedSearchPath(env['LD_LIBRARY_PATH'], ownUserId()) },
      deadlineMs: CPU_DEADLINE_MS,
      signal,
    });
    return outcomeOf(answer, { deviceId: device.deviceId, deviceKind: 'cpu', engine: 'cpu' });
  },
});

/** Measuring takes 10 s; touching many gigabytes first takes a virtual machine far longer. */
const CPU_DEADLINE_MS = 75_000;
