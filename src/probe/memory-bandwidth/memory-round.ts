// What the threads of the memory probe and the one who leads them say to each other.

export type MemoryWork = 'read' | 'copy';

export interface MemoryWorkerData {
  readonly board: SharedArrayBuffer;
  readonly threads: number;
  readonly bytes: number;
  /** To stay on; undefined where the system chooses. */
  readonly processor: number | undefined;
}

export interface MemoryRound {
  readonly kind: 'round';
  /** Counts from 0 over reads and copies together. */
  readonly round: number;
  readonly work: MemoryWork;
  readonly durationMs: number;
}

export type FromMemoryWorker =
  | {
      readonly kind: 'ready';
      readonly hasHugePages: boolean;
      /** Why the C library could not be asked for huge pages. */
      readonly noForeignCalls: string | undefined;
    }
  | {
      readonly kind: 'measured';
      /** Bytes read, or bytes read plus bytes written. */
      readonly bytes: number;
      readonly elapsedMs: number;
    };
