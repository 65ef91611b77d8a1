// The matrix product in WGSL, for any adapter: tiles in workgroup memory, a square of results in each thread's registers,
// sums always in single precision. It uses no matrix units, so it is a lower bound if the device has some.

export type ShaderFloat = 'f16' | 'f32';

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
