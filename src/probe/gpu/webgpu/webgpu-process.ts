// The child process that measures a device by WebGPU. It ends with exit(): the package would keep it alive.

import process from 'node:process';
import * as v from 'valibot';
import { memoryFigures } from '../../../core/node/gpu-profile.ts';
import { errorMessage } from '../../../core/problem.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../../core/unknown.ts';
import { answerParent } from '../../probe-answer.ts';
import type { DeviceAnswer } from '../device-answer.ts';
import { openAdapter } from './open-adapter.ts';
import { measureWebgpuMemory } from './webgpu-memory.ts';
import { measureWebgpuProduct } from './webgpu-product.ts';
import { webgpuRequestSchema } from './webgpu-request.ts';

/** Lives as long as the process. */
const kept: unknown[] = [];

const measure = async (requested: unknown): Promise<DeviceAnswer> => {
  const request = v.parse(webgpuRequestSchema, requested);
  const search = await openAdapter(request, gpu => kept.push(gpu));
  if (search.kind === 'none') return { kind: 'failed', reason: search.reason };
  const { device, name, hasHalfPrecision, bufferBytesMax } = search.adapter;
  kept.push(device);
  const float = hasHalfPrecision ? 'f16' : 'f32';
  const product = await attempted(() =>
    measureWebgpuProduct({ device, float, sizes: request.productSizes, timing: request }),
  );
  const memory = await attempted(() =>
    measureWebgpuMemory(
      device,
      { ...request, bufferBytesMax: Math.min(bufferBytesMax, request.bufferBytesMax) },
      request,
    ),
  );
  if (isUnknown(product) && isUnknown(memory)) {
    return { kind: 'failed', reason: [...new Set([product.reason, memory.reason])].join('; ') };
  }
  const flops: Reported<number> = isUnknown(product) ? product : product.flopsPerSecond;
  const sizes = isUnknown(product) ? '' : `, ${product.size}×${product.size}`;
  const buffers = isUnknown(memory) ? '' : `, ${Math.floor(memory.bufferBytes / 1024 ** 2)} MiB each`;
  return {
    kind: 'measured',
    figures: {
      deviceName: request.allowsSoftware ? name : request.deviceName,
      fp16FlopsPerSecond: hasHalfPrecision
        ? flops
        : unknown('this adapter has no half precision (shader-f16)'),
      fp32FlopsPerSecond: hasHalfPrecision ? unknown('measured in half precision') : flops,
      ...memoryFigures(memory),
      int8OperationsPerSecond: unknown('WebGPU offers no matrix product of 8 bits'),
      fp8FlopsPerSecond: unknown('WebGPU offers no matrix product of 8 bits'),
      isLowerBound: true,
      method: `WebGPU on ${name}: product by WGSL in ${float} with f32 sums${sizes}; memory by shaders, copy read plus written, GEMV in f32${buffers}; best of ${request.batches}`,
    },
  };
};

const attempted = async <T>(work: () => Promise<T>): Promise<T | Unknown> => {
  try {
    return await work();
  } catch (error) {
    return unknown(errorMessage(error).slice(0, REASON_LENGTH_MAX));
  }
};

const REASON_LENGTH_MAX = 300;

await answerParent(
  {
    env: process.env,
    argv: process.argv,
    exit: code => process.exit(code),
    complain: text => void process.stderr.write(`${text}\n`),
  },
  measure,
);
