// Measures any GPU that has Vulkan, Metal or D3D12, by WebGPU. It reaches no matrix units: its figures are lower
// bounds, used if there is no engine for the vendor.

import { ownUserId, trustedSearchPath } from '../../../native/library-search.ts';
import { entryUrl } from '../../../process/entry.ts';
import { runProbeChild } from '../../probe-child.ts';
import { type DeviceEngine, type EngineOptions, outcomeOf } from '../device-answer.ts';
import { WEBGPU_SETTINGS, type WebgpuRequest } from './webgpu-request.ts';

interface WebgpuEngineOptions extends EngineOptions {
  readonly settings?: Omit<WebgpuRequest, 'deviceName' | 'vendor'>;
}

export const webgpuEngine = ({ env, nodePath, settings }: WebgpuEngineOptions): DeviceEngine => ({
  name: 'webgpu',
  suits: device => device.vendor !== 'cpu',
  measure: async ({ deviceId, deviceName, vendor }, signal) => {
    const request: WebgpuRequest = { ...(settings ?? WEBGPU_SETTINGS), deviceName, vendor };
    const answer = await runProbeChild({
      entry: entryUrl(import.meta.url, './webgpu-process.ts'),
      request,
      nodePath,
      env: { ...env, LD_LIBRARY_PATH: trustedSearchPath(env['LD_LIBRARY_PATH'], ownUserId()) },
      deadlineMs: WEBGPU_DEADLINE_MS,
      signal,
    });
    return outcomeOf(answer, { deviceId, deviceKind: 'gpu', engine: 'webgpu' });
  },
});

/** Compiling shaders takes seconds on some drivers. */
const WEBGPU_DEADLINE_MS = 60_000;
