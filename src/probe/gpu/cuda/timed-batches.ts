// How a device is timed: warmed up until its clock has left idle, then in batches long enough that launch costs do not
// matter, the best of which counts.

import { maximumOf, minimumOf } from '../../../core/extremes.ts';
import type { CudaDriver, CudaHandle } from '../../../native/cuda-driver.ts';

export interface BatchOptions {
  readonly warmUpMs: number;
  readonly batchMs: number;
  readonly batches: number;
}

export const BATCHES: BatchOptions = { warmUpMs: 300, batchMs: 60, batches: 7 };

interface BatchTimes {
  /** Ms per piece of work in the fastest batch, and in the slowest. */
  readonly bestMs: number;
  readonly worstMs: number;
}

/** @throws CudaError */
export const timeBatches = (
  driver: CudaDriver,
  work: () => void,
  { warmUpMs, batchMs, batches }: BatchOptions,
): BatchTimes => {
  const repeat = (count: number): number =>
    driver.elapsedMs(() => {
      for (let turn = 0; turn < count; turn += 1) work();
    }) / count;
  let onceMs = Math.max(repeat(WARM_UP_TURNS_MIN), SHORTEST_MS);
  for (let spentMs = WARM_UP_TURNS_MIN * onceMs; spentMs < warmUpMs; ) {
    const turns = turnsFor(batchMs, onceMs);
    onceMs = Math.max(repeat(turns), SHORTEST_MS);
    spentMs += turns * onceMs;
  }
  const turns = turnsFor(batchMs, onceMs);
  const times = Array.from({ length: batches }, () => Math.max(repeat(turns), SHORTEST_MS));
  return { bestMs: minimumOf(times), worstMs: maximumOf(times) };
};

const turnsFor = (batchMs: number, onceMs: number): number =>
  Math.max(1, Math.min(TURNS_MAX, Math.ceil(batchMs / onceMs)));

const WARM_UP_TURNS_MIN = 3;
/** A driver queues about a thousand launches before the host has to wait. */
const TURNS_MAX = 1_000;
/** Events resolve half a microsecond; anything shorter is not a measurement. */
const SHORTEST_MS = 0.000_5;

// Device memory filled with random numbers: a pattern from the host, doubled on the device until the buffer is full.
export interface DeviceBuffer extends Disposable {
  readonly address: CudaHandle;
  readonly bytes: number;
}

/** Freed when disposed of. @throws CudaError, 2 when too little is free. */
export const deviceBuffer = (driver: CudaDriver, bytes: number): DeviceBuffer => {
  const address = driver.allocate(bytes);
  return { address, bytes, [Symbol.dispose]: () => driver.free(address) };
};

/** The pattern again and again; the last one may be cut. */
export const fillDevice = (
  driver: CudaDriver,
  buffer: DeviceBuffer,
  pattern: Uint8Array | Uint16Array,
): void => {
  const source = new Uint8Array(pattern.buffer, pattern.byteOffset, pattern.byteLength);
  const first = Math.min(source.byteLength, buffer.bytes);
  driver.copyToDevice(buffer.address, source.subarray(0, first));
  for (let filled = first; filled < buffer.bytes; filled *= 2) {
    const more = Math.min(filled, buffer.bytes - filled);
    driver.copyOnDevice(buffer.address + BigInt(filled), buffer.address, more);
  }
  driver.synchronize();
};
