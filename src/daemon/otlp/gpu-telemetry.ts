// The GPUs of a node: use, memory, errors, power and temperature by the conventions, what was measured on them under our own names.

import { VENDOR_NAMES } from '../../core/node/gpu.ts';
import { gpuErrorKind } from '../../core/node/gpu-errors.ts';
import { gpuMemoryUse, hasOwnMemory, usedShare } from '../../core/node/memory-use.ts';
import type { NodeView, VendorView } from '../../core/node/node-view.ts';
import { knownOr } from '../../core/unknown.ts';
import { ERRORS, POWER, STATUS, TEMPERATURE } from './hardware-instruments.ts';
import type { Instrument, PointPage } from './point-page.ts';

export const putGpus = (page: PointPage, { vendor, healths, devices, failed }: VendorView): void => {
  for (const { deviceId, name } of failed)
    page.put(STATUS, { 'hw.id': deviceId, 'hw.name': name, 'hw.type': 'gpu', 'hw.state': 'failed' }, 1);
  for (const view of devices) {
    const { device, load, health, isLoadStale, profile } = view;
    const gpu = {
      'hw.id': device.deviceId,
      'hw.name': device.name,
      'hw.vendor': VENDOR_NAMES[vendor],
      'hw.model': device.name,
      'hw.driver_version': knownOr(device.driver, undefined),
    };
    page.put(
      STATUS,
      { 'hw.id': device.deviceId, 'hw.name': device.name, 'hw.type': 'gpu', 'hw.state': 'ok' },
      1,
    );
    page.put(GPU.memoryLimit, gpu, hasOwnMemory(view) ? device.memoryTotalBytes : undefined);
    page.put(GPU.compute, { ...gpu, 'plimsoll.number.format': 'fp16' }, profile?.value.fp16FlopsPerSecond);
    page.put(GPU.bandwidth, gpu, profile?.value.memoryReadBytesPerSecond);
    if (healths.kind === 'current') {
      const errors = { ...gpu, 'hw.type': 'gpu' };
      page.put(ERRORS, { ...errors, 'error.type': 'corrected' }, health?.eccVolatile.corrected);
      page.put(ERRORS, { ...errors, 'error.type': 'uncorrected' }, health?.eccVolatile.uncorrected);
    }
    if (load === undefined || isLoadStale) continue;
    page.put(GPU.use, { ...gpu, 'hw.gpu.task': 'general' }, load.use);
    page.put(GPU.memoryUsage, gpu, load.memoryUsedBytes);
    page.put(GPU.memoryUse, gpu, usedShare(gpuMemoryUse(view)));
    page.put(POWER, { ...gpu, 'hw.type': 'gpu' }, load.powerWatts);
    page.put(
      TEMPERATURE,
      {
        'hw.id': `${device.deviceId}.temperature`,
        'hw.parent': device.deviceId,
        'hw.sensor_location': 'gpu',
      },
      load.temperatureCelsius,
    );
  }
};

/** By the PCI address, as the driver logs them: a device that is lost has no other name. */
export const putGpuErrors = (page: PointPage, { gpuErrors }: Pick<NodeView, 'gpuErrors'>): void => {
  if (gpuErrors.kind !== 'current') return;
  for (const { address, xid, kind, count } of gpuErrors.value.errors) {
    const sort = gpuErrorKind(kind === undefined ? {} : { kind });
    const type = sort === 'xid' || sort === 'sxid' ? `${sort}_${xid}` : sort.replace('-', '_');
    page.put(ERRORS, { 'hw.id': address, 'hw.type': 'gpu', 'error.type': type }, count);
  }
};

const GPU = {
  use: {
    name: 'hw.gpu.utilization',
    unit: '1',
    description: 'Fraction of time in which a kernel ran.',
    kind: 'gauge',
  },
  memoryUsage: {
    name: 'hw.gpu.memory.usage',
    unit: 'By',
    description: 'GPU memory used.',
    kind: 'updowncounter',
  },
  memoryLimit: {
    name: 'hw.gpu.memory.limit',
    unit: 'By',
    description: 'Size of the GPU memory; none where it is unified with the host.',
    kind: 'updowncounter',
  },
  memoryUse: {
    name: 'hw.gpu.memory.utilization',
    unit: '1',
    description: 'Fraction of GPU memory used.',
    kind: 'gauge',
  },
  compute: {
    name: 'plimsoll.gpu.compute',
    unit: '{operation}/s',
    description: 'Measured matrix multiplication.',
    kind: 'gauge',
  },
  bandwidth: {
    name: 'plimsoll.gpu.memory.bandwidth',
    unit: 'By/s',
    description: 'Measured streaming read.',
    kind: 'gauge',
  },
} as const satisfies Readonly<Record<string, Instrument>>;
