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
