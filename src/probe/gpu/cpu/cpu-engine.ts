// Measures the processors of a machine without a GPU. Its figures are marked as such everywhere and never summed with
// those of GPUs.

import * as v from 'valibot';
import type { Infer } from '../../../core/schema.ts';
import { ownUserId, trustedSearchPath } from '../../../native/library-search.ts';
import { entryUrl } from '../../../process/entry.ts';
import { MEMORY_REQUEST, memoryRequestSchema } from '../../memory-bandwidth/memory-request.ts';
import { runProbeChild } from '../../probe-child.ts';
import { type DeviceEngine, type EngineOptions, outcomeOf } from '../device-answer.ts';

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

// The request to the child that measures processors. Tests request less of everything.

const CPU_REQUEST: CpuRequest = {
  memory: MEMORY_REQUEST,
  product: { rounds: 5, durationMs: 300, usesBlas: true },
};

export const cpuRequestSchema = v.object({
  memory: memoryRequestSchema,
  product: v.object({
    rounds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    durationMs: v.pipe(v.number(), v.minValue(1), v.maxValue(10_000)),
    usesBlas: v.boolean(),
  }),
});

type CpuRequest = Infer<typeof cpuRequestSchema>;
