// Validates what a node reports about the health of its GPUs.

import * as v from 'valibot';
import { GPU_VENDORS } from '../core/node/gpu.ts';
import type { GpuHealth, NodeGpuHealths } from '../core/node/gpu-health.ts';
import { count, figure, list, openObject, reported, text } from '../core/schema.ts';

const eccCounts = openObject({ corrected: reported(count), uncorrected: reported(count) });

export const gpuHealthSchema: v.GenericSchema<unknown, GpuHealth> = openObject({
  deviceId: text,
  eccVolatile: eccCounts,
  eccAggregate: eccCounts,
  repair: openObject({
    rowsAfterCorrected: reported(count),
    rowsAfterUncorrected: reported(count),
    retiredPages: reported(count),
    isPending: reported(v.boolean()),
    hasFailed: reported(v.boolean()),
  }),
  pcieReplays: reported(count),
  recoveryAction: reported(text),
  fabric: reported(list(text)),
  links: reported(
    list(
      openObject({
        number: count,
        isUp: v.boolean(),
        bytesPerSecond: reported(figure),
        sentBytes: reported(count),
        receivedBytes: reported(count),
        replays: reported(count),
        recoveries: reported(count),
        crcErrors: reported(count),
      }),
    ),
  ),
});

export const gpuHealthsSchema: v.GenericSchema<unknown, NodeGpuHealths> = openObject({
  vendor: v.picklist(GPU_VENDORS),
  devices: list(gpuHealthSchema),
});
