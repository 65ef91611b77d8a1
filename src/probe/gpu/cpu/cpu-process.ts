// The child process that measures the processors of this machine: their matrix product and their memory.

import os from 'node:os';
import process from 'node:process';
import * as v from 'valibot';
import { memoryFigures } from '../../../core/node/gpu-profile.ts';
import { unknown } from '../../../core/unknown.ts';
import { memoryBandwidthHere } from '../../memory-bandwidth/memory-here.ts';
import { parallelismHere } from '../../parallelism.ts';
import { answerParent } from '../../probe-answer.ts';
import type { DeviceAnswer } from '../device-answer.ts';
import { cpuRequestSchema } from './cpu-engine.ts';
import { measureCpuProduct } from './cpu-product.ts';

const measure = async (requested: unknown): Promise<DeviceAnswer> => {
  const { memory, product } = v.parse(cpuRequestSchema, requested);
  const bandwidth = await memoryBandwidthHere(memory, {
    platform: process.platform,
    env: process.env,
    availableBytes: process.availableMemory(),
  });
  const threads = parallelismHere();
  const { flopsPerSecond, method } = await measureCpuProduct({
    ...product,
    platform: process.platform,
    env: process.env,
    threads,
  });
  return {
    kind: 'measured',
    figures: {
      deviceName: os.cpus()[0]?.model.trim() || `processor (${process.arch})`,
      fp16FlopsPerSecond: unknown('processors are measured in single precision'),
      fp32FlopsPerSecond: flopsPerSecond,
      ...memoryFigures(bandwidth),
      int8OperationsPerSecond: unknown('processors are measured in single precision'),
      fp8FlopsPerSecond: unknown('processors are measured in single precision'),
      // Compute only ever reaches what its library or 128-bit vectors do.
      isLowerBound: true,
      method: `${method}; memory: ${bandwidth.method}`,
    },
  };
};

await answerParent(
  {
    env: process.env,
    argv: process.argv,
    exit: code => process.exit(code),
    complain: text => void process.stderr.write(`${text}\n`),
  },
  measure,
);
