// The bandwidth of a device's own memory: a read of our own, and the driver's copy. Both over buffers well past the
// last-level cache, and both verified.

import { errorMessage } from '../../../core/problem.ts';
import { type Reported, unknown } from '../../../core/unknown.ts';
import { type CudaDevice, type CudaDriver, CudaError, isLost } from '../../../native/cuda-driver.ts';
import { randomHalves } from '../random-halves.ts';
import {
  type BatchOptions,
  type DeviceBuffer,
  deviceBuffer,
  fillDevice,
  timeBatches,
} from './timed-batches.ts';

// The kernel that reads device memory once, as source for the driver's compiler. Each thread keeps four loads of 16
// bytes in flight, neighbours read neighbouring bytes, and nothing stays in a cache (.cs). Each thread writes the
// exclusive or of all its words, so the host can verify that every byte was read. Assembled with ptxas 13.0.88 for
// sm_75 to sm_121: 28 to 32 registers, nothing spilled.
const READ_KERNEL = 'plimsoll_read';

const READ_THREADS_PER_BLOCK = 256;

/** The bytes read must be a multiple of this, which the threads of one block read at a time. */
const READ_UNIT_BYTES: number = 4 * 16 * READ_THREADS_PER_BLOCK;

/** Arguments: where each thread writes its 4 bytes, the memory to read, its length in bytes. */
const READ_KERNEL_PTX = `.version 6.0
.target sm_50
.address_size 64
.visible .entry plimsoll_read(.param .u64 out, .param .u64 source, .param .u64 bytes)
{
  .reg .pred p;
  .reg .b32 t, g, d, q, x, v<16>;
  .reg .b64 o, s, e, i, w, st, s1, s2, s3;
  ld.param.u64 o, [out];
  ld.param.u64 s, [source];
  ld.param.u64 e, [bytes];
  mov.u32 t, %tid.x;
  mov.u32 g, %ctaid.x;
  mov.u32 d, %ntid.x;
  mov.u32 q, %nctaid.x;
  mul.wide.u32 i, g, d;
  shl.b64 i, i, 2;
  cvt.u64.u32 w, t;
  add.u64 i, i, w;
  shl.b64 i, i, 4;
  mul.wide.u32 st, q, d;
  shl.b64 st, st, 6;
  mul.wide.u32 w, d, 16;
  add.u64 e, s, e;
  add.u64 s, s, i;
  mov.u32 x, 0;
LOOP:
  setp.ge.u64 p, s, e;
  @p bra DONE;
  add.u64 s1, s, w;
  add.u64 s2, s1, w;
  add.u64 s3, s2, w;
  ld.global.cs.v4.u32 {v0, v1, v2, v3}, [s];
  ld.global.cs.v4.u32 {v4, v5, v6, v7}, [s1];
  ld.global.cs.v4.u32 {v8, v9, v10, v11}, [s2];
  ld.global.cs.v4.u32 {v12, v13, v14, v15}, [s3];
  xor.b32 v0, v0, v1;
  xor.b32 v2, v2, v3;
  xor.b32 v4, v4, v5;
  xor.b32 v6, v6, v7;
  xor.b32 v8, v8, v9;
  xor.b32 v10, v10, v11;
  xor.b32 v12, v12, v13;
  xor.b32 v14, v14, v15;
  xor.b32 v0, v0, v2;
  xor.b32 v4, v4, v6;
  xor.b32 v8, v8, v10;
  xor.b32 v12, v12, v14;
  xor.b32 v0, v0, v4;
  xor.b32 v8, v8, v12;
  xor.b32 v0, v0, v8;
  xor.b32 x, x, v0;
  add.u64 s, s, st;
  bra LOOP;
DONE:
  mad.lo.u32 t, g, d, t;
  mul.wide.u32 w, t, 4;
  add.u64 o, o, w;
  st.global.u32 [o], x;
  ret;
}
`;

interface CudaMemory {
  readonly readBytesPerSecond: Reported<number>;
  readonly copyBytesPerSecond: Reported<number>;
  readonly method: string;
}

/** @throws CudaError when the process is lost. */
export const measureCudaMemory = (
  driver: CudaDriver,
  device: CudaDevice,
  batches: BatchOptions,
): CudaMemory => {
  const cacheBytes = driver.attribute(device, 'secondLevelCacheBytes');
  const wanted = Math.max(BUFFER_BYTES, CACHE_MULTIPLE * cacheBytes);
  const { freeBytes } = driver.memory();
  const bytes = wholePatterns(Math.min(wanted, freeBytes * FREE_SHARE_MAX));
  if (bytes < Math.max(BUFFER_BYTES_MIN, 2 * cacheBytes)) {
    const reason = unknown(
      `only ${mebibytes(freeBytes)} MiB of device memory are free: too little to measure`,
    );
    return { readBytesPerSecond: reason, copyBytesPerSecond: reason, method: 'memory not measured' };
  }
  using source = deviceBuffer(driver, bytes);
  using sink = deviceBuffer(driver, bytes);
  const pattern = randomHalves(PATTERN_BYTES / 2, 1);
  fillDevice(driver, source, pattern);
  return {
    readBytesPerSecond: attempted(() => measureRead({ driver, device, source, pattern, batches })),
    copyBytesPerSecond: attempted(() => measureCopy({ driver, source, sink, pattern, batches })),
    method: `memory: read by a PTX kernel, copy by cuMemcpyDtoD (read plus written), ${mebibytes(bytes)} MiB each, best of ${batches.batches} batches`,
  };
};

interface ReadParts {
  readonly driver: CudaDriver;
  readonly device: CudaDevice;
  readonly source: DeviceBuffer;
  readonly pattern: Uint16Array;
  readonly batches: BatchOptions;
}

const measureRead = ({ driver, device, source, pattern, batches }: ReadParts): number => {
  const kernel = driver.loadKernel(READ_KERNEL_PTX, READ_KERNEL);
  const blocks = BLOCKS_PER_MULTIPROCESSOR * Math.max(1, driver.attribute(device, 'multiprocessors'));
  const threads = blocks * READ_THREADS_PER_BLOCK;
  using left = deviceBuffer(driver, 4 * threads);
  const read = (): void =>
    driver.launch(kernel, { blocks, threadsPerBlock: READ_THREADS_PER_BLOCK }, [
      left.address,
      source.address,
      BigInt(source.bytes),
    ]);
  const { bestMs } = timeBatches(driver, read, batches);
  const words = new Uint32Array(threads);
  driver.copyFromDevice(new Uint8Array(words.buffer), left.address);
  // An odd number of patterns: their exclusive or is that of one.
  if (exclusiveOr(words) !== exclusiveOr(new Uint32Array(pattern.buffer))) {
    throw new Error('the read kernel did not read every byte once');
  }
  return bytesPerSecond(source.bytes, bestMs);
};

interface CopyParts extends Omit<ReadParts, 'device'> {
  readonly sink: DeviceBuffer;
}

const measureCopy = ({ driver, source, sink, pattern, batches }: CopyParts): number => {
  const copy = (): void => driver.copyOnDevice(sink.address, source.address, source.bytes);
  const { bestMs } = timeBatches(driver, copy, batches);
  const last = new Uint16Array(pattern.length);
  driver.copyFromDevice(new Uint8Array(last.buffer), sink.address + BigInt(sink.bytes - PATTERN_BYTES));
  if (!last.every((half, index) => half === pattern[index])) {
    throw new Error('the copy on the device is not what was copied');
  }
  return bytesPerSecond(2 * source.bytes, bestMs);
};

/** One figure may fail while the other does not: a container without the driver's compiler still copies. */
const attempted = (measure: () => number): Reported<number> => {
  try {
    return measure();
  } catch (error) {
    if (error instanceof CudaError && isLost(error.code)) throw error;
    return unknown(errorMessage(error));
  }
};

const exclusiveOr = (words: Uint32Array): number => words.reduce((sum, word) => (sum ^ word) >>> 0, 0);

const bytesPerSecond = (bytes: number, ms: number): number => (bytes * 1_000) / ms;

const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2);

/** An odd number of patterns, at most this many bytes. */
const wholePatterns = (bytes: number): number => {
  const patterns = Math.floor(bytes / PATTERN_BYTES);
  return (patterns - (patterns % 2 === 0 ? 1 : 0)) * PATTERN_BYTES;
};

/** A multiple of what the read kernel needs. */
const PATTERN_BYTES: number = 256 * READ_UNIT_BYTES;
const BUFFER_BYTES: number = 1024 ** 3;
const BUFFER_BYTES_MIN: number = 32 * 1024 ** 2;
const CACHE_MULTIPLE = 8;
/** Share of the free memory for each of the two buffers. */
const FREE_SHARE_MAX = 1 / 8;
const BLOCKS_PER_MULTIPROCESSOR = 8;
