// The schema of each reading's payload: every one from a peer or a journal passes here. Most are in the file of their
// type in core; every text and list has a limit.

import * as v from 'valibot';
import type { EventPayloads, KindsOf } from '../core/event-kinds.ts';
import { nodeConfigSchema } from '../core/node/config.ts';
import { containerSchema } from '../core/node/container.ts';
import { nodeDiskSchema } from '../core/node/disk.ts';
import { diskTrafficSchema } from '../core/node/disk-traffic.ts';
import { readingConfirmedSchema, readingFailedSchema } from '../core/node/gathered.ts';
import { GPU_ERROR_CLASSES, type NodeGpuErrors } from '../core/node/gpu-errors.ts';
import { nodeIdentitySchema } from '../core/node/identity.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import { nodeNetworkSchema } from '../core/node/network.ts';
import { pressureSchema } from '../core/node/pressure.ts';
import { nodeRdmaDevicesSchema } from '../core/node/rdma-devices.ts';
import type { ReadingKind, ReadingValues } from '../core/node/reading.ts';
import { nodeSystemSchema } from '../core/node/system.ts';
import { nodeThunderboltSchema } from '../core/node/thunderbolt.ts';
import { trafficSchema } from '../core/node/traffic.ts';
import {
  bytes,
  count,
  figure,
  interval,
  list,
  openObject,
  reported,
  type Schema,
  share,
  text,
} from '../core/schema.ts';
import { gpuHealthsSchema } from './gpu-health-schema.ts';
import { gpuLoadsSchema, gpusSchema } from './gpu-schema.ts';

// Validates what a node reports about errors of its GPUs in the kernel's log.
const gpuErrorsSchema: v.GenericSchema<unknown, NodeGpuErrors> = openObject({
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

const memory: Schema<NodeMemory> = openObject({
  totalBytes: bytes,
  availableBytes: reported(bytes),
  swapTotalBytes: reported(bytes),
  swapUsedBytes: reported(bytes),
  pressure: openObject({
    level: reported(v.picklist(['normal', 'warning', 'critical'])),
    stalledShare: reported(share),
  }),
  container: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({ kind: v.literal('limited'), limitBytes: bytes, usedBytes: reported(bytes) }),
  ]),
  gpuNodeBytes: reported(bytes),
});

/** Schema of a Gathered; the gathered value is `entries.value`. */
type GatheredSchema<T> = v.ObjectSchema<
  { readonly source: Schema<string>; readonly intervalMs: Schema<number>; readonly value: Schema<T> },
  undefined
>;

const gathered = <T>(value: Schema<T>): GatheredSchema<T> =>
  openObject({ source: text, intervalMs: interval, value });

/** Schemas of the payloads by event kind. */
export const READING_SCHEMAS: {
  readonly [R in ReadingKind as `${R}.gathered`]: GatheredSchema<ReadingValues[R]>;
} & { readonly [K in KindsOf<'readingStatuses'>]: Schema<EventPayloads[K]> } = {
  'identity.gathered': gathered(nodeIdentitySchema),
  'memory.gathered': gathered(memory),
  'system.gathered': gathered(nodeSystemSchema),
  'pressure.gathered': gathered(pressureSchema),
  'network.gathered': gathered(nodeNetworkSchema),
  'thunderbolt.gathered': gathered(nodeThunderboltSchema),
  'rdmaDevices.gathered': gathered(nodeRdmaDevicesSchema),
  'disk.gathered': gathered(nodeDiskSchema),
  'gpus.gathered': gathered(gpusSchema),
  'gpuLoads.gathered': gathered(gpuLoadsSchema),
  'config.gathered': gathered(nodeConfigSchema),
  'container.gathered': gathered(containerSchema),
  'traffic.gathered': gathered(trafficSchema),
  'diskTraffic.gathered': gathered(diskTrafficSchema),
  'gpuHealths.gathered': gathered(gpuHealthsSchema),
  'gpuErrors.gathered': gathered(gpuErrorsSchema),
  'reading.confirmed': readingConfirmedSchema,
  'reading.failed': readingFailedSchema,
  'reading.absent': readingFailedSchema,
};
