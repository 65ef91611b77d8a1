// Nodes and links as the HTTP API returns them: combined views, in which an unknown value is marked as such.

import * as v from 'valibot';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import { connectionTypeSchema, LOSS_CODES, type LossCode } from '../../core/link/connection.ts';
import type { LinkCarrier } from '../../core/link/link-ends.ts';
import type { DeadEnd } from '../../core/link/loss-cause.ts';
import type { ConflictView } from '../../core/node/conflict-view.ts';
import { failedGpuSchema } from '../../core/node/failed-gpu.ts';
import { type GpuLoad, gpuDeviceSchema, gpuLoadSchema, gpuVendorSchema } from '../../core/node/gpu.ts';
import { type GpuHealth, gpuHealthSchema } from '../../core/node/gpu-health.ts';
import type { GpuView, MeasuredDevice, NodeView, VendorView } from '../../core/node/node-view.ts';
import { gatheredKind, NODE_READING_KINDS, type NodeReadingKind } from '../../core/node/reading.ts';
import type { ReadingView } from '../../core/node/reading-view.ts';
import { LINK_FIGURES } from '../../core/probe/unusual-figures.ts';
import {
  count,
  figure,
  type Infer,
  list,
  nodeIdSchema,
  orUnknown,
  reported,
  type Schema,
  text,
} from '../../core/schema.ts';
import type { Unknown } from '../../core/unknown.ts';
import { entrySchema } from './state-answers.ts';

const listedStageSchema = v.variant('kind', [
  v.object({ kind: v.literal('running'), leftMs: figure, isByHand: v.boolean() }),
  v.object({ kind: v.literal('waiting'), reason: text, nextInMs: orUnknown(figure) }),
  v.object({ kind: v.literal('idle'), nextInMs: orUnknown(figure) }),
]);

/** What a probe does now, or waits for. */
export type ListedStage = Infer<typeof listedStageSchema>;

/** What was measured of a device. */
const measurement = {
  profile: orUnknown(entrySchema(EVENT_KINDS['gpu.profiled'].schema)),
  probe: orUnknown(listedStageSchema),
};

export const listedMeasurementSchema = v.object(measurement);

export type ListedMeasurement = Infer<typeof listedMeasurementSchema>;

const readingFields = { reason: v.string(), source: text, ageMs: figure } as const;

const readingViewSchema = <T>(value: Schema<T>): Schema<ReadingView<T>> =>
  v.variant('kind', [
    v.object({ kind: v.literal('waiting') }),
    v.object({ kind: v.literal('absent'), ...readingFields }),
    v.object({ kind: v.literal('unavailable'), ...readingFields }),
    v.object({ kind: v.literal('current'), value, source: text, ageMs: figure }),
    v.object({ kind: v.literal('stale'), value, ...readingFields }),
  ]);

export type ListedGpu = Omit<GpuView, 'load' | 'loadAgeMs' | 'health' | keyof MeasuredDevice> &
  ListedMeasurement & {
    readonly load: GpuLoad | Unknown;
    readonly loadAgeMs: number | Unknown;
    readonly health: GpuHealth | Unknown;
  };

export const listedGpuSchema: Schema<ListedGpu> = v.object({
  device: gpuDeviceSchema,
  load: orUnknown(gpuLoadSchema),
  loadAgeMs: orUnknown(figure),
  isLoadStale: v.boolean(),
  health: orUnknown(gpuHealthSchema),
  findings: list(
    v.object({
      code: v.picklist(['uncorrected', 'unrepaired', 'pending', 'recovery', 'links']),
      level: v.picklist(['danger', 'caution']),
      what: text,
      why: text,
    }),
  ),
  ...measurement,
});

export type ListedVendor = Omit<VendorView, 'devices'> & { readonly devices: readonly ListedGpu[] };

export const listedVendorSchema: Schema<ListedVendor> = v.object({
  vendor: gpuVendorSchema,
  inventory: readingViewSchema(EVENT_KINDS['gpus.gathered'].schema.entries.value),
  loads: readingViewSchema(EVENT_KINDS['gpuLoads.gathered'].schema.entries.value),
  healths: readingViewSchema(EVENT_KINDS['gpuHealths.gathered'].schema.entries.value),
  devices: list(listedGpuSchema),
  failed: v.pipe(
    list(failedGpuSchema),
    v.description(
      'GPUs that cannot be used now: lost, or in need of a reset. In no sum, and not in devices.',
    ),
  ),
});

export type ListedNode = Omit<NodeView, 'silentMs' | 'stoppedMs' | 'gpus' | 'cpu' | 'conflict'> & {
  readonly silentMs: number | Unknown;
  readonly stoppedMs: number | Unknown;
  readonly gpus: readonly ListedVendor[];
  readonly cpu: ListedMeasurement;
  readonly conflict: ConflictView | Unknown;
};

const nodeEntries = {
  nodeId: nodeIdSchema,
  name: v.pipe(v.string(), v.description('The friendly name, or the first characters of the id.')),
  presence: v.picklist(['live', 'stale', 'offline']),
  silentMs: v.pipe(orUnknown(figure), v.description('Time since it was last seen.')),
  stoppedMs: v.pipe(orUnknown(figure), v.description('Time since it announced that it is stopping.')),
  gpus: list(listedVendorSchema),
  absentGpus: list(v.object({ vendor: gpuVendorSchema, reason: v.string() })),
  cpu: v.pipe(listedMeasurementSchema, v.description("The processor's performance; never summed with GPUs.")),
  unknownKinds: v.pipe(v.array(text), v.description('Event kinds that the answering node does not know.')),
  refusedKinds: v.pipe(
    v.array(v.object({ kind: text, count })),
    v.description(
      'Event kinds of which the node sent more entries than are stored for one node, with the number that were refused.',
    ),
  ),
  conflict: v.pipe(
    orUnknown(v.object({ addresses: list(text), ageMs: figure })),
    v.description('Two machines run with the identity of this node.'),
  ),
};

const viewOf = (reading: NodeReadingKind): v.GenericSchema => {
  const value: v.GenericSchema = EVENT_KINDS[gatheredKind(reading)].schema.entries.value;
  return readingViewSchema(value);
};

export const listedNodeSchema: Schema<ListedNode> = v.pipe(
  v.object({
    ...nodeEntries,
    ...Object.fromEntries(NODE_READING_KINDS.map(reading => [reading, viewOf(reading)])),
  }),
  v.guard((node): node is ListedNode & typeof node =>
    NODE_READING_KINDS.every(reading => Object.hasOwn(node, reading)),
  ),
);

export const totalSchema = v.object({
  sum: figure,
  knownCount: count,
  count,
  isLowerBound: v.boolean(),
});

export const clusterTotalsSchema = v.object({
  nodeCount: count,
  gpuCount: count,
  memoryTotalBytes: totalSchema,
  memoryUsedBytes: totalSchema,
  gpuFlopsPerSecond: totalSchema,
  gpuMemoryBytesPerSecond: totalSchema,
});

export const nodesAnswerSchema = v.object({
  /** The node that responds. */
  self: nodeIdSchema,
  totals: clusterTotalsSchema,
  nodes: v.array(listedNodeSchema),
});

export const forgetLinkAnswerSchema = v.object({
  forgotten: v.array(nodeIdSchema),
});

export const forgetAnswerSchema = v.object({
  forgotten: nodeIdSchema,
});

/** A value of another writer with its current age. */
export interface Aged<T> {
  readonly value: T;
  readonly ageMs: number;
}

/** Why a path carries nothing now, and since when. */
export interface ListedLoss {
  readonly code: LossCode;
  readonly reason: string;
  readonly ageMs: number;
  /** Interfaces that cannot carry anything now; none if both ends report a carrier. */
  readonly deadEnds: readonly DeadEnd[];
}

const aged = <T>(value: Schema<T>): Schema<Aged<T>> => v.object({ value, ageMs: figure });

const carrier = { type: reported(connectionTypeSchema), negotiatedBitsPerSecond: reported(figure) };
const linkEnd = v.object({ interfaceName: reported(text), ...carrier });

export const listedLinkSchema = v.object({
  source: nodeIdSchema,
  sink: nodeIdSchema,
  connectionKey: text,
  /** Key of the path, made of both interfaces: connections of one path have the same figures. */
  path: text,
  /** The age of this information: since it opened, or since its type or rate changed. */
  connection: aged(EVENT_KINDS['connection.opened'].schema),
  /** Type and rate from both of its ends: the slower one decides. */
  carrier: reported<LinkCarrier>(
    v.object({ ...carrier, ends: v.object({ source: linkEnd, sink: linkEnd }) }),
  ),
  /** The newest of its path. The age of its figures is `ageMs` + `value.measuredAgeMs`. */
  profile: orUnknown(aged(EVENT_KINDS['link.profiled'].schema)),
  /** Figures far below their median of the last week. */
  unusual: v.pipe(
    v.array(
      v.object({
        figure: v.picklist(LINK_FIGURES),
        value: figure,
        median: figure,
        share: figure,
        side: v.picklist(['below', 'above']),
        count,
      }),
    ),
    v.description('Figures far below the median of the last week.'),
  ),
  /** For a path with no open connection, listed once; unknown for an open one. */
  lost: orUnknown(
    v.object({
      code: v.picklist(LOSS_CODES),
      reason: text,
      ageMs: figure,
      deadEnds: v.array(
        v.object({ node: nodeIdSchema, interfaceName: text, kind: v.picklist(['down', 'gone']) }),
      ),
    }),
  ),
});

/** A connection in one direction. */
export type ListedLink = Infer<typeof listedLinkSchema>;

export const linksAnswerSchema = v.object({
  links: v.array(listedLinkSchema),
});
