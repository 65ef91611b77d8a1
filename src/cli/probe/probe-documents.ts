// What the commands `plimsoll probe …` print with --json: one document each.

import * as v from 'valibot';
import { linkProfileSchema } from '../../core/link/link-profile.ts';
import { gpuProfileSchema } from '../../core/node/gpu-profile.ts';
import { count, type Infer, nodeIdSchema, openObject } from '../../core/schema.ts';
import { memoryBandwidthSchema } from '../../probe/memory-bandwidth/memory-bandwidth.ts';
import { listedLinkSchema } from '../../wire/api/cluster-answers.ts';

const failed = v.object({
  kind: v.literal('failed'),
  reason: v.string(),
  code: v.exactOptional(v.pipe(v.string(), v.description('Missing if only the reason is known.'))),
  bytesUsed: v.pipe(count, v.description('What it cost even so: payload of both directions.')),
});

const device = v.omit(gpuProfileSchema, ['measuredAgeMs', 'intervalMs', 'failure']);

/** `probe gpu` */
export const gpuProbeSchema = v.object({
  schema: v.literal('plimsoll.gpu-probe/1'),
  devices: v.array(
    v.object({
      device: v.object({
        deviceId: v.string(),
        deviceName: v.string(),
        vendor: v.pipe(v.string(), v.description('cpu for the processor.')),
      }),
      outcome: v.variant('kind', [
        v.object({ kind: v.literal('measured'), measurement: openObject(device.entries) }),
        failed,
      ]),
    }),
  ),
  sources: v.pipe(
    v.array(
      v.object({
        vendor: v.string(),
        source: v.string(),
        reason: v.string(),
        isAbsence: v.pipe(v.boolean(), v.description('false: the source could not determine it.')),
      }),
    ),
    v.description('Every source that reported no device.'),
  ),
});

export type GpuProbeDocument = Infer<typeof gpuProbeSchema>;

/** `probe memory` */
export const memoryProbeSchema = v.object({
  schema: v.literal('plimsoll.memory-probe/1'),
  ...memoryBandwidthSchema.entries,
});

export type MemoryProbeDocument = Infer<typeof memoryProbeSchema>;

const link = v.omit(linkProfileSchema, [
  'sink',
  'connectionKey',
  'extrasAgeMs',
  'measuredAgeMs',
  'intervalMs',
  'failure',
]);

/** `probe link HOST:PORT` */
export const linkProbeSchema = v.object({
  schema: v.literal('plimsoll.link-probe/1'),
  host: v.string(),
  port: count,
  outcome: v.variant('kind', [
    v.object({ kind: v.literal('measured'), measurement: openObject(link.entries) }),
    failed,
  ]),
});

export type LinkProbeDocument = Infer<typeof linkProbeSchema>;

const probedLink = v.pick(listedLinkSchema, ['source', 'sink', 'connectionKey', 'profile']);

/** `probe link NODE` */
export const nodeProbeSchema = v.object({
  schema: v.literal('plimsoll.node-probe/1'),
  source: nodeIdSchema,
  sink: nodeIdSchema,
  links: v.pipe(
    v.array(openObject(probedLink.entries)),
    v.description('As /api/links: each connection that was measured.'),
  ),
});

export type NodeProbeDocument = Infer<typeof nodeProbeSchema>;
