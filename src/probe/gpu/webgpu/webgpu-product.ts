// The matrix product by WebGPU: half precision if the adapter has it, else single; sums in single precision either way.

import { anyHalfValue, halfValue, randomHalves } from '../random-halves.ts';
import { bestTurnMs, checked, computation, type DeviceTiming, readBuffer, turnMs } from './device-work.ts';

interface WebgpuProduct {
  readonly float: ShaderFloat;
  readonly size: number;
  readonly flopsPerSecond: number;
}

interface WebgpuProductOptions {
  readonly device: GPUDevice;
  readonly float: ShaderFloat;
  /** Largest first. */
  readonly sizes: readonly number[];
  readonly timing: DeviceTiming;
}

/** @throws Error when the device refuses or the product is wrong. */
export const measureWebgpuProduct = async (options: WebgpuProductOptions): Promise<WebgpuProduct> => {
  const { sizes } = options;
  const smallest = sizes.at(-1) ?? 0;
  // The time of a large one is estimated from a small one: the driver kills the device if a product takes too long.
  const small = await measuredAt(options, smallest, true);
  const onceMs = (2 * smallest ** 3 * 1_000) / small.flopsPerSecond;
  const size = sizes.find(candidate => onceMs * (candidate / smallest) ** 3 <= TURN_MS_MAX) ?? smallest;
  return await measuredAt(options, size, false);
};

const measuredAt = (
  { device, float, timing }: WebgpuProductOptions,
  size: number,
  isTrial: boolean,
): Promise<WebgpuProduct> =>
  checked(device, async () => {
    const shader = productShader(float, size);
    const bytes = size * size * FLOAT_BYTES[float];
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const [a, b, d] = [0, 1, 2].map(() => device.createBuffer({ size: bytes, usage }));
    if (a === undefined || b === undefined || d === undefined) throw new Error('no buffers');
    const patternA = randomHalves(PATTERN_HALVES, 2);
    const patternB = randomHalves(PATTERN_HALVES, 3);
    device.queue.writeBuffer(a, 0, matrixOf(patternA, size, float));
    device.queue.writeBuffer(b, 0, matrixOf(patternB, size, float));
    const groups = size / shader.tile;
    const work = await computation(device, shader.code, [a, b, d], [groups, groups]);
    await turnMs(device, work, 1); // the first one compiles
    const onceMs = isTrial ? await turnMs(device, work, 1) : await bestTurnMs(device, work, timing);
    await checkProduct({ device, d, size, float, patternA, patternB });
    for (const buffer of [a, b, d]) buffer.destroy();
    return { float, size, flopsPerSecond: (2 * size ** 3 * 1_000) / onceMs };
  });

const matrixOf = (
  pattern: Uint16Array,
  size: number,
  float: ShaderFloat,
): Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer> => {
  const at = (index: number): number => pattern[index % pattern.length] ?? 0;
  return float === 'f16'
    ? Uint16Array.from({ length: size * size }, (_, index) => at(index))
    : Float32Array.from({ length: size * size }, (_, index) => halfValue(at(index)));
};

interface CheckedProduct {
  readonly device: GPUDevice;
  readonly d: GPUBuffer;
  readonly size: number;
  readonly float: ShaderFloat;
  readonly patternA: Uint16Array;
  readonly patternB: Uint16Array;
}

const checkProduct = async ({
  device,
  d,
  size,
  float,
  patternA,
  patternB,
}: CheckedProduct): Promise<void> => {
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const row = (sample * 7_919) % size;
    const column = (sample * 104_729 + sample) % size;
    let expected = 0;
    for (let step = 0; step < size; step += 1) {
      const inA = patternA[(step * size + row) % patternA.length] ?? 0;
      const inB = patternB[(step * size + column) % patternB.length] ?? 0;
      expected += halfValue(inA) * halfValue(inB);
    }
    const at = (row * size + column) * FLOAT_BYTES[float];
    const word = new DataView(await readBuffer(device, d, at - (at % 4), 4));
    const found = float === 'f32' ? word.getFloat32(0, true) : anyHalfValue(word.getUint16(at % 4, true));
    if (!(Math.abs(found - expected) <= ERROR_MAX + Math.abs(expected) * RELATIVE_ERROR_MAX)) {
      throw new Error(`the result is wrong at ${row}, ${column}: ${found} instead of ${expected.toFixed(3)}`);
    }
  }
};

const FLOAT_BYTES: Readonly<Record<ShaderFloat, number>> = { f16: 2, f32: 4 };
/** A quarter of what the strictest watchdog allows. */
const TURN_MS_MAX = 500;
/** No divisor of a row's length, so that rows differ. */
const PATTERN_HALVES = 2_097_143;
const SAMPLES = 16;
/** Results of 16 bits are rounded at 2^-11. */
const RELATIVE_ERROR_MAX: number = 2 ** -10;
const ERROR_MAX = 0.01;

// The matrix product in WGSL, for any adapter: tiles in workgroup memory, a square of results in each thread's registers,
// sums always in single precision. It uses no matrix units, so it is a lower bound if the device has some.
type ShaderFloat = 'f16' | 'f32';

interface ProductShader {
  readonly code: string;
  /** Sides of the matrices must be multiples of it; a workgroup computes a square of this many results. */
  readonly tile: number;
}

/**
 * D = Aᵀ × B for square matrices of `size`. Bindings 0, 1, 2: A and B with steps as rows, D row by row, all in vectors of
 * four. Half precision has room in registers for larger squares: twice the arithmetic for each byte from workgroup memory.
 */
export const productShader = (float: ShaderFloat, size: number): ProductShader => {
  const perThread = float === 'f16' ? 8 : 4;
  const tile = THREADS_PER_SIDE * perThread;
  const vectors = perThread / 4;
  const tileVectors = tile / 4;
  const rowVectors = size / 4;
  const loads = (STEPS * tileVectors) / (THREADS_PER_SIDE * THREADS_PER_SIDE);
  const each = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');
  const code = `${float === 'f16' ? 'enable f16;\n' : ''}
@group(0) @binding(0) var<storage, read> a: array<vec4<${float}>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<${float}>>;
@group(0) @binding(2) var<storage, read_write> d: array<vec4<${float}>>;
var<workgroup> tileA: array<vec4<${float}>, ${STEPS * tileVectors}>;
var<workgroup> tileB: array<vec4<${float}>, ${STEPS * tileVectors}>;

@compute @workgroup_size(${THREADS_PER_SIDE}, ${THREADS_PER_SIDE})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) thread: vec3<u32>,
  @builtin(local_invocation_index) index: u32,
) {
${each(perThread * vectors, at => `  var sum${at} = vec4<f32>();`)}
  for (var first = 0u; first < ${size}u; first += ${STEPS}u) {
${each(
  loads,
  load => `    {
      let at = index + ${load * THREADS_PER_SIDE * THREADS_PER_SIDE}u;
      let row = (first + at / ${tileVectors}u) * ${rowVectors}u + at % ${tileVectors}u;
      tileA[at] = a[row + group.y * ${tileVectors}u];
      tileB[at] = b[row + group.x * ${tileVectors}u];
    }`,
)}
    workgroupBarrier();
    for (var step = 0u; step < ${STEPS}u; step++) {
${each(
  vectors,
  at => `      let a${at} = vec4<f32>(tileA[step * ${tileVectors}u + thread.y * ${vectors}u + ${at}u]);
      let b${at} = vec4<f32>(tileB[step * ${tileVectors}u + thread.x * ${vectors}u + ${at}u]);`,
)}
${each(perThread * vectors, at => {
  const row = Math.floor(at / vectors);
  return `      sum${at} = fma(vec4<f32>(a${Math.floor(row / 4)}[${row % 4}]), b${at % vectors}, sum${at});`;
})}
    }
    workgroupBarrier();
  }
  let row = group.y * ${tile}u + thread.y * ${perThread}u;
  let column = group.x * ${tileVectors}u + thread.x * ${vectors}u;
${each(
  perThread * vectors,
  at =>
    `  d[(row + ${Math.floor(at / vectors)}u) * ${rowVectors}u + column + ${at % vectors}u] = vec4<${float}>(sum${at});`,
)}
}
`;
  return { code, tile };
};

/** 256 threads: what every adapter allows. */
const THREADS_PER_SIDE = 16;
/** Rows of both matrices in workgroup memory at a time. */
const STEPS = 16;
