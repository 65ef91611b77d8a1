// Validates what a node reports about errors of its GPUs in the kernel's log.

import * as v from 'valibot';
import { GPU_ERROR_CLASSES, type NodeGpuErrors } from '../core/node/gpu-errors.ts';
import { count, figure, list, openObject, reported, text } from './schema.ts';

export const gpuErrorsSchema: v.GenericSchema<unknown, NodeGpuErrors> = openObject({
  errors: list(
    openObject({
      address: text,
      xid: count,
      kind: reported(v.picklist(GPU_ERROR_CLASSES)),
      count,
      newestAgeMs: figure,
      text,
    }),
  ),
});
