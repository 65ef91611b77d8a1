// Work on a WebGPU device: its errors arrive later and elsewhere, so everything runs inside scopes that catch them, and
// is timed from the host until the queue is empty. Batches are long, so this adds below one per cent.

import { firstLine } from '../../../core/text/single-line.ts';

export interface DeviceTiming {
  readonly warmUpMs: number;
  readonly batchMs: number;
  readonly batches: number;
}

/** @throws Error with the device's message if anything in it failed. */
export const checked = async <T>(device: GPUDevice, work: () => Promise<T> | T): Promise<T> => {
  const scopes: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];
  for (const scope of scopes) device.pushErrorScope(scope);
  let failure: unknown;
  let result: T | undefined;
  try {
    result = await work();
  } catch (error) {
    failure = error;
  }
  const errors = await Promise.all(scopes.map(() => device.popErrorScope()));
  const reported = errors.find(error => error !== null);
  if (reported !== undefined && reported !== null) throw new Error(firstLine(reported.message));
  if (failure !== undefined || result === undefined) throw failure;
  return result;
};

interface Computation {
  readonly pipeline: GPUComputePipeline;
  readonly bindings: GPUBindGroup;
  readonly workgroups: readonly [x: number, y: number];
}

export const computation = async (
  device: GPUDevice,
  code: string,
  buffers: readonly GPUBuffer[],
  workgroups: readonly [x: number, y: number],
): Promise<Computation> => {
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module, entryPoint: 'main' },
  });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  return { pipeline, bindings, workgroups };
};

/** Ms of one turn in the fastest batch. */
export const bestTurnMs = async (
  device: GPUDevice,
  work: Computation,
  { warmUpMs, batchMs, batches }: DeviceTiming,
): Promise<number> => {
  let onceMs = await turnMs(device, work, 1);
  for (let spentMs = onceMs; spentMs < warmUpMs; ) {
    const turns = turnsFor(batchMs, onceMs);
    onceMs = await turnMs(device, work, turns);
    spentMs += turns * onceMs;
  }
  const turns = turnsFor(batchMs, onceMs);
  let bestMs = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < batches; batch += 1) {
    bestMs = Math.min(bestMs, await turnMs(device, work, turns));
  }
  return bestMs;
};

/** Each turn is a separate pass: drivers kill one that takes longer than about two seconds. */
export const turnMs = async (device: GPUDevice, work: Computation, turns: number): Promise<number> => {
  const encoder = device.createCommandEncoder();
  for (let turn = 0; turn < turns; turn += 1) {
    const pass = encoder.beginComputePass();
    pass.setPipeline(work.pipeline);
    pass.setBindGroup(0, work.bindings);
    pass.dispatchWorkgroups(...work.workgroups);
    pass.end();
  }
  const commands = encoder.finish();
  const startedMs = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return Math.max(performance.now() - startedMs, SHORTEST_MS) / turns;
};

/** The bytes of a part of a buffer; both multiples of 4. */
export const readBuffer = async (
  device: GPUDevice,
  buffer: GPUBuffer,
  offset: number,
  bytes: number,
): Promise<ArrayBuffer> => {
  const landing = device.createBuffer({
    size: bytes,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, landing, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await landing.mapAsync(GPUMapMode.READ);
  const copy = landing.getMappedRange().slice(0);
  landing.destroy();
  return copy;
};

const turnsFor = (batchMs: number, onceMs: number): number =>
  Math.max(1, Math.min(TURNS_MAX, Math.ceil(batchMs / onceMs)));

const TURNS_MAX = 2_000;
const SHORTEST_MS = 0.001;
