// What a soak writes once a minute about each process.

import type { ProcessSample } from './process-sample.ts';

export interface SoakRow extends Partial<ProcessSample> {
  /** Since the piece began. */
  readonly atMs: number;
  /** Of the machine, over one minute. */
  readonly load: number;
  /** A daemon's host, or what else it is. */
  readonly process: string;
  /** Another one begins another series. */
  readonly pid: number;
  readonly journalBytes?: number;
  /** After a collection. */
  readonly heapBytes?: number;
}
