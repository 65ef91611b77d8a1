// Cells of an eighth of an octave for bounds of times: what a value is taken for is never less, and at most 9 % more; below a
// microsecond nothing is told apart.

export const COARSE_CELLS = 512;

export const coarseCell = (ns: number): number =>
  ns <= LEAST_NS ? 0 : Math.min(COARSE_CELLS - 1, Math.ceil(Math.log2(ns / LEAST_NS) * CELLS_PER_OCTAVE));

/** The greatest value of a cell, ns. */
export const coarseCeiling = (cell: number): number => Math.ceil(LEAST_NS * 2 ** (cell / CELLS_PER_OCTAVE));

const CELLS_PER_OCTAVE = 8;
const LEAST_NS = 1_000;
