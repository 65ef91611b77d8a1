// Which devices a node must measure, and with what: the engines in order of the performance they reach; one
// that cannot measure returns its reason before the next is tried.

import type { GpuVendor, NodeGpus } from '../../core/node/gpu.ts';
import type { ProbeDevice, ProbeDeviceNow } from '../probe.ts';
import { cpuEngine } from './cpu/cpu-engine.ts';
import { cudaEngine } from './cuda/cuda-engine.ts';
import { type DeviceEngine, type EngineOptions, failed } from './device-answer.ts';
import { mlxEngine } from './mlx-engine.ts';
import { webgpuEngine } from './webgpu/webgpu-engine.ts';

/** From a node's inventory, one entry per vendor. A machine without a GPU has one device, its processor. */
export const listProbeDevices = (gpus: readonly NodeGpus[]): readonly ProbeDevice[] => {
  const devices = gpus.flatMap(({ vendor, devices: ofVendor }) =>
    ofVendor.map(({ deviceId, name }) => ({ deviceId, deviceName: name, vendor })),
  );
  return devices.length === 0 ? [CPU_DEVICE] : devices;
};

export const CPU_DEVICE: ProbeDevice = { deviceId: 'cpu', deviceName: 'CPU', vendor: 'cpu' };

export const deviceProber = (options: EngineOptions): ProbeDeviceNow => proberOf(deviceEngines(options));

/** In the order in which they are tried. */
export const deviceEngines = (options: EngineOptions): readonly DeviceEngine[] => [
  cudaEngine(options),
  mlxEngine(options),
  webgpuEngine(options),
  cpuEngine(options),
];

export const proberOf =
  (engines: readonly DeviceEngine[]): ProbeDeviceNow =>
  async (device, signal) => {
    const reasons: string[] = [];
    for (const engine of engines.filter(candidate => candidate.suits(device))) {
      const outcome = await engine.measure(device, signal);
      if (outcome.kind === 'measured') return outcome;
      reasons.push(`${engine.name}: ${outcome.reason}`);
    }
    if (reasons.length > 0) return failed(reasons.join('; '));
    return failed(`no tool here measures a device of ${VENDOR_NAMES[device.vendor]}`);
  };

const VENDOR_NAMES: Readonly<Record<GpuVendor | 'cpu', string>> = {
  nvidia: 'NVIDIA',
  amd: 'AMD',
  apple: 'Apple',
  intel: 'Intel',
  cpu: 'this processor',
};
