// The request to the child that measures processors. Tests request less of everything.

import * as v from 'valibot';
import {
  MEMORY_REQUEST,
  type MemoryRequest,
  memoryRequestSchema,
} from '../../memory-bandwidth/memory-request.ts';

export interface CpuRequest {
  readonly memory: MemoryRequest;
  readonly product: {
    readonly rounds: number;
    readonly durationMs: number;
    readonly usesBlas: boolean;
  };
}

export const CPU_REQUEST: CpuRequest = {
  memory: MEMORY_REQUEST,
  product: { rounds: 5, durationMs: 300, usesBlas: true },
};

export const cpuRequestSchema: v.GenericSchema<unknown, CpuRequest> = v.object({
  memory: memoryRequestSchema,
  product: v.object({
    rounds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    durationMs: v.pipe(v.number(), v.minValue(1), v.maxValue(10_000)),
    usesBlas: v.boolean(),
  }),
});
