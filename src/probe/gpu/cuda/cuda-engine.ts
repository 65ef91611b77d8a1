// Measures NVIDIA devices through the driver's own interface.

import { ownUserId, trustedSearchPath } from '../../../native/library-search.ts';
import type { Env } from '../../../process/child.ts';
import { entryUrl } from '../../../process/entry.ts';
import { runProbeChild } from '../../probe-child.ts';
import { type DeviceEngine, type EngineOptions, outcomeOf } from '../device-answer.ts';
import { type CudaRequest, cudaRequest } from './cuda-request.ts';

interface CudaEngineOptions extends EngineOptions {
  readonly deadlineMs?: number;
  readonly request?: (deviceId: string) => CudaRequest;
}

export const cudaEngine = (options: CudaEngineOptions): DeviceEngine => ({
  name: 'cuda',
  suits: device => device.vendor === 'nvidia',
  measure: async ({ deviceId }, signal) => {
    const answer = await runProbeChild({
      entry: entryUrl(import.meta.url, './cuda-process.ts'),
      request: (options.request ?? cudaRequest)(deviceId),
      nodePath: options.nodePath,
      env: cudaEnv(options.env, deviceId),
      deadlineMs: options.deadlineMs ?? CUDA_DEADLINE_MS,
      signal,
    });
    return outcomeOf(answer, { deviceId, deviceKind: 'gpu', engine: 'cuda' });
  },
});

/** So the driver's first device is the intended one, regardless of what the environment hides. */
const cudaEnv = (env: Env, deviceId: string): Env => ({
  ...env,
  CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
  CUDA_VISIBLE_DEVICES: deviceId.startsWith('GPU-') ? deviceId : undefined,
  // Our kernel compiles in milliseconds, so no cache is written to the user's home.
  CUDA_CACHE_DISABLE: '1',
  LD_LIBRARY_PATH: trustedSearchPath(env['LD_LIBRARY_PATH'], ownUserId()),
});

/** Without persistence mode the driver takes seconds to start; loading cuBLAS and its kernels takes as long again. */
const CUDA_DEADLINE_MS = 60_000;
