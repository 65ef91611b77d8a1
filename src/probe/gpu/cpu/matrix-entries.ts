// The matrices that every CPU product multiplies, and whether the product is right. Random in ±[0.5, 1): zeros and
// constants draw less power than real work and make a processor look faster than it is.

/** Always the same for the same position. */
export const matrixEntry = (matrix: 'a' | 'b', row: number, column: number): number => {
  let bits =
    Math.imul(row + 1, matrix === 'a' ? 0x9e37_79b1 : 0x85eb_ca6b) ^ Math.imul(column + 1, 0xc2b2_ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b_3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a_2d39);
  bits ^= bits >>> 15;
  const size = 0.5 + (bits >>> 9) / 2 ** 24;
  return Math.fround((bits & 1) === 0 ? size : -size);
};

/**
 * Compares sampled entries with sums in double precision.
 * @returns what is wrong; undefined if nothing is.
 */
export const productDefect = (
  size: number,
  result: (row: number, column: number) => number,
): string | undefined => {
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const row = (sample * 7_919) % size;
    const column = (sample * 104_729 + sample) % size;
    let expected = 0;
    for (let step = 0; step < size; step += 1) {
      expected += matrixEntry('a', row, step) * matrixEntry('b', step, column);
    }
    const found = result(row, column);
    if (!(Math.abs(found - expected) <= ERROR_MAX * Math.sqrt(size))) {
      return `the result is wrong at ${row}, ${column}: ${found} instead of ${expected}`;
    }
  }
  return undefined;
};

const SAMPLES = 16;
/** Sums of n products of size below 1 err by about √n roundings of 6e-8 each; a wrong index errs by about √n. */
const ERROR_MAX = 1e-3;

// The messages between the threads of the CPU's matrix product and their leader.
export interface GemmWorkerData {
  readonly board: SharedArrayBuffer;
  readonly threads: number;
}

export interface GemmRound {
  /** Counts from 0. */
  readonly round: number;
  readonly durationMs: number;
}

export type FromGemmWorker =
  | { readonly kind: 'ready'; readonly isFused: boolean }
  | { readonly kind: 'measured'; readonly products: number; readonly elapsedMs: number };
