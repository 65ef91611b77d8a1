// The messages between the threads of the memory probe and their leader.

/**
 * Two ways to read, of which the faster one counts: our sum, and the C library's comparison of one half with the other. `gemv` reads
 * as decoding does.
 */
export type MemoryWork = 'sum' | 'compare' | 'copy' | 'gemv';

export interface MemoryWorkerData {
  readonly board: SharedArrayBuffer;
  readonly threads: number;
  readonly bytes: number;
  /** The processor to stay on; undefined if the system chooses. */
  readonly processor: number | undefined;
}

export interface MemoryRound {
  readonly kind: 'round';
  /** Counts from 0 over all kinds of work together. */
  readonly round: number;
  readonly work: MemoryWork;
  readonly durationMs: number;
}

export type FromMemoryWorker =
  | {
      readonly kind: 'ready';
      readonly hasHugePages: boolean;
      readonly works: readonly MemoryWork[];
      /** Why the C library could not be called. */
      readonly noForeignCalls: string | undefined;
    }
  | {
      readonly kind: 'measured';
      /** Bytes read, or bytes read plus bytes written. */
      readonly bytes: number;
      readonly elapsedMs: number;
    };
