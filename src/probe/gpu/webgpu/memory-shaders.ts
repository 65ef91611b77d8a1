// Reading and copying a buffer in WGSL. Neighbouring threads take neighbouring vectors of 16 bytes, four steps apart
// each way, so several loads are in flight at a time.

export const MEMORY_WORKGROUPS = 2_048;
const THREADS = 256;

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
