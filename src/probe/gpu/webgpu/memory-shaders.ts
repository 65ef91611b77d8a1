// Reading and copying a buffer in WGSL. Neighbouring threads take neighbouring vectors of 16 bytes, four steps apart
// each way, so several loads are in flight at a time.

export const MEMORY_WORKGROUPS = 2_048;
const THREADS = 256;
/** Its root: two steps add up what all threads have, with few barriers. */
const FEW = 16;

/** One word of 4 bytes for each thread. */
export const READ_RESULT_BYTES: number = 4 * MEMORY_WORKGROUPS * THREADS;

/** The bytes of a buffer must be a multiple of this, which all threads read in one round. */
export const MEMORY_UNIT_BYTES: number = 4 * 16 * MEMORY_WORKGROUPS * THREADS;

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
export const GEMV_COLUMNS = 4_096;

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
