// The bandwidth of an adapter's memory: a read and a copy by shaders, both verified.

import { randomHalves } from '../random-halves.ts';
import { bestTurnMs, checked, computation, type DeviceTiming, readBuffer } from './device-work.ts';
import type { WebgpuRequest } from './webgpu-request.ts';

// Reading and copying a buffer in WGSL. Neighbouring threads take neighbouring vectors of 16 bytes, four steps apart
// each way, so several loads are in flight at a time.
const MEMORY_WORKGROUPS = 2_048;
const THREADS = 256;
/** Its root: two steps add up what all threads have, with few barriers. */
const FEW = 16;

/** One word of 4 bytes for each thread. */
const READ_RESULT_BYTES: number = 4 * MEMORY_WORKGROUPS * THREADS;

/** The bytes of a buffer must be a multiple of this, which all threads read in one round. */
const MEMORY_UNIT_BYTES: number = 4 * 16 * MEMORY_WORKGROUPS * THREADS;

const walk = (body: string): string => `  let all = ${MEMORY_WORKGROUPS * THREADS}u;
  let end = arrayLength(&source);
  for (var at = id.x; at < end; at += 4u * all) {
${body}
  }`;

/** Binding 0 the buffer, 1 the exclusive or of each thread's words: so the host can verify that all was read. */
export const READ_SHADER: string = `
@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var words = vec4<u32>();
${walk('    words ^= source[at] ^ source[at + all] ^ source[at + 2u * all] ^ source[at + 3u * all];')}
  result[id.x] = words.x ^ words.y ^ words.z ^ words.w;
}
`;

/** Columns of the matrix for the product with a vector, in 16-byte vectors of four floats. */
const GEMV_COLUMNS = 4_096;

/**
 * Binding 0 the matrix in FP32, row by row, 1 the vector, 2 the product of each row. A workgroup takes a row at a time:
 * neighbouring threads read neighbouring vectors, and add their parts up in workgroup memory.
 */
export const GEMV_SHADER: string = `
@group(0) @binding(0) var<storage, read> matrix: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> factors: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;

var<workgroup> parts: array<f32, ${THREADS}>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let width = ${GEMV_COLUMNS / 4}u;
  let rows = arrayLength(&product);
  for (var row = group.x; row < rows; row += ${MEMORY_WORKGROUPS}u) {
    var sum = 0.0;
    for (var at = thread; at < width; at += ${THREADS}u) {
      sum += dot(matrix[row * width + at], factors[at]);
    }
    parts[thread] = sum;
    workgroupBarrier();
    if (thread < ${FEW}u) {
      for (var other = thread + ${FEW}u; other < ${THREADS}u; other += ${FEW}u) { parts[thread] += parts[other]; }
    }
    workgroupBarrier();
    if (thread == 0u) {
      for (var other = 1u; other < ${FEW}u; other += 1u) { parts[0] += parts[other]; }
      product[row] = parts[0];
    }
    workgroupBarrier();
  }
}
`;

/** Binding 0 the source, 1 the sink. */
export const COPY_SHADER: string = `
@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4<u32>>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
${walk(`    let first = source[at];
    let second = source[at + all];
    let third = source[at + 2u * all];
    let fourth = source[at + 3u * all];
    sink[at] = first;
    sink[at + all] = second;
    sink[at + 2u * all] = third;
    sink[at + 3u * all] = fourth;`)}
}
`;

interface WebgpuMemory {
  readonly readBytesPerSecond: number;
  /** Read plus written. */
  readonly copyBytesPerSecond: number;
  /** Matrix times vector in FP32. */
  readonly gemvBytesPerSecond: number;
  readonly bufferBytes: number;
}

/** @throws Error when the device refuses or a result is wrong. */
export const measureWebgpuMemory = async (
  device: GPUDevice,
  { bufferBytesMax, gemvBytesMax }: Pick<WebgpuRequest, 'bufferBytesMax' | 'gemvBytesMax'>,
  timing: DeviceTiming,
): Promise<WebgpuMemory> => {
  let failure: unknown = new Error('its buffers are too small to measure memory');
  for (let bytes = wholeUnits(bufferBytesMax); bytes >= MEMORY_UNIT_BYTES; bytes = wholeUnits(bytes / 2)) {
    try {
      return await checked(device, () => measuredWith(device, { bytes, gemvBytesMax }, timing));
    } catch (error) {
      failure = error; // not enough memory for two buffers of this size: half as much may fit
    }
  }
  throw failure;
};

const measuredWith = async (
  device: GPUDevice,
  { bytes, gemvBytesMax }: { readonly bytes: number; readonly gemvBytesMax: number },
  timing: DeviceTiming,
): Promise<WebgpuMemory> => {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const source = device.createBuffer({ size: bytes, usage });
  const sink = device.createBuffer({ size: bytes, usage });
  const result = device.createBuffer({ size: READ_RESULT_BYTES, usage });
  const pattern = device.createBuffer({ size: PATTERN_BYTES, usage });
  try {
    const halves = new Uint16Array(randomHalves(PATTERN_BYTES / 2, 1));
    device.queue.writeBuffer(pattern, 0, halves);
    const encoder = device.createCommandEncoder();
    for (let at = 0; at < bytes; at += PATTERN_BYTES) {
      encoder.copyBufferToBuffer(pattern, 0, source, at, PATTERN_BYTES);
    }
    device.queue.submit([encoder.finish()]);
    const workgroups = [MEMORY_WORKGROUPS, 1] as const;
    const read = await computation(device, READ_SHADER, [source, result], workgroups);
    const readMs = await bestTurnMs(device, read, timing);
    const words = new Uint32Array(await readBuffer(device, result, 0, READ_RESULT_BYTES));
    // An odd number of patterns: their exclusive or is that of one.
    if (exclusiveOr(words) !== exclusiveOr(new Uint32Array(halves.buffer))) {
      throw new Error('the shader did not read every byte once');
    }
    const copy = await computation(device, COPY_SHADER, [source, sink], workgroups);
    const copyMs = await bestTurnMs(device, copy, timing);
    const last = new Uint16Array(await readBuffer(device, sink, bytes - PATTERN_BYTES, PATTERN_BYTES));
    if (!last.every((half, index) => half === halves[index])) {
      throw new Error('the copy on the device is not what was copied');
    }
    return {
      readBytesPerSecond: (bytes * 1_000) / readMs,
      copyBytesPerSecond: (2 * bytes * 1_000) / copyMs,
      gemvBytesPerSecond: await measureGemv(device, {
        matrix: source,
        bytes: Math.min(bytes, gemvBytesMax),
        pattern: halves,
        timing,
      }),
      bufferBytes: bytes,
    };
  } finally {
    for (const buffer of [source, sink, result, pattern]) buffer.destroy();
  }
};

interface GemvParts {
  /** Filled with the pattern again and again: two halves make an ordinary float, of a size below 0.01. */
  readonly matrix: GPUBuffer;
  readonly bytes: number;
  readonly pattern: Uint16Array;
  readonly timing: DeviceTiming;
}

const measureGemv = async (
  device: GPUDevice,
  { matrix, bytes, pattern, timing }: GemvParts,
): Promise<number> => {
  const rowBytes = 4 * GEMV_COLUMNS;
  const rows = Math.max(1, Math.floor(bytes / rowBytes));
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const factors = device.createBuffer({ size: rowBytes, usage });
  const product = device.createBuffer({ size: 4 * rows, usage });
  try {
    device.queue.writeBuffer(factors, 0, new Float32Array(GEMV_COLUMNS).fill(1));
    const work = await computation(device, GEMV_SHADER, [matrix, factors, product], [MEMORY_WORKGROUPS, 1]);
    const onceMs = await bestTurnMs(device, work, timing);
    const found = new Float32Array(await readBuffer(device, product, 0, 4 * rows));
    const entries = new Float32Array(pattern.buffer);
    for (let sample = 0; sample < GEMV_SAMPLES; sample += 1) {
      const row = (sample * 7_919) % rows;
      const from = (row * GEMV_COLUMNS) % entries.length;
      const expected = entries.subarray(from, from + GEMV_COLUMNS).reduce((sum, entry) => sum + entry, 0);
      if (!(Math.abs((found[row] ?? Number.NaN) - expected) <= GEMV_TOLERANCE)) {
        throw new Error('a product of matrix and vector is wrong');
      }
    }
    return (rows * rowBytes * 1_000) / onceMs;
  } finally {
    for (const buffer of [factors, product]) buffer.destroy();
  }
};

const exclusiveOr = (words: Uint32Array): number => words.reduce((sum, word) => (sum ^ word) >>> 0, 0);

/** An odd number of units, at most this many bytes. */
const wholeUnits = (bytes: number): number => {
  const units = Math.floor(bytes / MEMORY_UNIT_BYTES);
  return (units - (units % 2 === 0 ? 1 : 0)) * MEMORY_UNIT_BYTES;
};

const GEMV_SAMPLES = 16;
/** Sums of 4,096 numbers below 0.01 of either sign, added in another order. */
const GEMV_TOLERANCE = 1e-3;
const PATTERN_BYTES: number = MEMORY_UNIT_BYTES;
