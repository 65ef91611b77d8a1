// The request to the child of the memory probe. Tests request less of everything.

import * as v from 'valibot';

export interface MemoryRequest {
  readonly rounds: number;
  readonly durationMs: number;
  /**
   * Over all threads, before the last-level cache is considered; undefined: as much as the machine needs.
   */
  readonly bytesMax: number | undefined;
}

export const MEMORY_REQUEST: MemoryRequest = { rounds: 5, durationMs: 400, bytesMax: undefined };

export const memoryRequestSchema: v.GenericSchema<unknown, MemoryRequest> = v.pipe(
  v.object({
    rounds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    durationMs: v.pipe(v.number(), v.minValue(1), v.maxValue(10_000)),
    bytesMax: v.optional(v.pipe(v.number(), v.minValue(1))),
  }),
  v.transform(({ rounds, durationMs, bytesMax }) => ({ rounds, durationMs, bytesMax })),
);
