// What a node tells of errors of its GPUs in the kernel's log, as it must look to be believed.

import type * as v from 'valibot';
import type { NodeGpuErrors } from '../core/node/gpu-errors.ts';
import { count, figure, list, openObject, text } from './schema.ts';

export const gpuErrorsSchema: v.GenericSchema<unknown, NodeGpuErrors> = openObject({
  errors: list(openObject({ address: text, xid: count, count, newestAgeMs: figure, text })),
});
