// What the cluster is and can do: its sum, its nodes, one node.

import * as v from 'valibot';
import { ageMsOf } from '../../../core/entry-maps.ts';
import { counted } from '../../../core/figure/figure.ts';
import { isCarrying, linkViews } from '../../../core/link/link-view.ts';
import { failedGpuLabel, failedGpuText } from '../../../core/node/failed-gpu.ts';
import { gpuErrorKind, xidMeaning } from '../../../core/node/gpu-errors.ts';
import { GPU_FIGURES, gpuReading } from '../../../core/node/gpu-figures.ts';
import { BANDWIDTH, FP32_RATE, type MeasureRow } from '../../../core/node/gpu-profile.ts';
import { gpusOf } from '../../../core/node/memory-use.ts';
import { NODE_FIGURES } from '../../../core/node/node-figures.ts';
import {
  type GpuView,
  type MeasuredDevice,
  type NodeView,
  nodeView,
  type VendorView,
} from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import { knownValue } from '../../../core/node/reading-view.ts';
import type { Infer } from '../../../core/schema.ts';
import { clusterTotals, type Total } from '../../../core/totals.ts';
import { isKnown } from '../../../core/unknown.ts';
import { everyWarning } from '../../../core/warnings/cluster-warnings.ts';
import {
  figureFields,
  figureSchemas,
  missingReason,
  quoted,
  type ReportedFigure,
  reportedFigureOf,
  reportedFigureSchema,
  unknownFigure,
} from '../figure-fields.ts';
import { type McpContext, type McpTool, mcpTool } from '../mcp-tool.ts';
import { limitFrom, NODE, nodeOf } from '../tool-arguments.ts';
import { disksSchema, portsSchema, reportedDisks, reportedPorts } from './carried-now.ts';

const totalSchema = v.object({
  sum: v.number(),
  unit: v.string(),
  knownOf: v.pipe(v.string(), v.description('How many parts are known, of how many.')),
  isLowerBound: v.boolean(),
});

const reported = (
  { sum, knownCount, count, isLowerBound }: Total,
  unit: string,
): Infer<typeof totalSchema> => ({
  sum,
  unit,
  knownOf: `${knownCount} of ${count}`,
  isLowerBound: isLowerBound || knownCount < count,
});

const headSchema = v.object({
  nodeId: v.string(),
  name: v.string(),
  presence: v.picklist(['live', 'stale', 'offline']),
  lastSeenSecondsAgo: v.nullable(v.number()),
  gpuCount: v.number(),
});

const nodeSchema: v.GenericSchema<unknown, object> = v.object({
  ...headSchema.entries,
  ...figureSchemas(NODE_FIGURES),
});

const deviceSchema: v.GenericSchema<unknown, object> = v.object({
  deviceId: v.string(),
  name: v.string(),
  problems: v.pipe(
    v.array(v.string()),
    v.description('Faults that its own counters report: failing memory, a reset that it waits for.'),
  ),
  isLowerBound: v.boolean(),
  ...figureSchemas(GPU_FIGURES),
});

export const clusterSummaryTool: McpTool = mcpTool({
  name: 'cluster_summary',
  title: 'Cluster summary',
  description:
    'Sums over the nodes that are up: memory, measured FP16 compute and memory bandwidth of all GPUs; how many links and warnings there are.',
  input: v.object({}),
  output: v.object({
    nodes: v.object({ live: v.number(), stale: v.number(), offline: v.number() }),
    gpus: v.number(),
    memoryTotal: totalSchema,
    memoryUsed: totalSchema,
    gpuFp16: totalSchema,
    gpuMemoryRead: totalSchema,
    links: v.number(),
    warnings: v.object({ danger: v.number(), caution: v.number(), note: v.number() }),
  }),
  call: (_, { state, nowMs }) => {
    const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
    const totals = clusterTotals(state, nowMs);
    const links = linkViews(state, nowMs);
    const warnings = everyWarning({ state, views, nowMs, links });
    const of = (presence: NodeView['presence']) => views.filter(view => view.presence === presence).length;
    const level = (wanted: string) => warnings.filter(warning => warning.level === wanted).length;
    return {
      text: `${counted(totals.nodeCount, 'node')} with ${counted(totals.gpuCount, 'GPU')}, ${counted(warnings.length, 'warning')}.`,
      structured: {
        nodes: { live: of('live'), stale: of('stale'), offline: of('offline') },
        gpus: totals.gpuCount,
        memoryTotal: reported(totals.memoryTotalBytes, 'bytes'),
        memoryUsed: reported(totals.memoryUsedBytes, 'bytes'),
        gpuFp16: reported(totals.gpuFlopsPerSecond, 'FLOP/s'),
        gpuMemoryRead: reported(totals.gpuMemoryBytesPerSecond, 'bytes/s'),
        links: links.filter(({ standing }) => isCarrying(standing)).length,
        warnings: { danger: level('danger'), caution: level('caution'), note: level('note') },
      },
    };
  },
});

export const listNodesTool: McpTool = mcpTool({
  name: 'list_nodes',
  title: 'List nodes',
  description: 'The nodes of the cluster: whether each is up, its memory, how many GPUs it has.',
  input: v.object({ limit: limitFrom(10) }),
  output: v.object({ nodes: v.array(nodeSchema), leftOut: v.number() }),
  call: ({ limit }, { state, nowMs }) => {
    const all = nodeIds(state);
    const nodes = all.slice(0, limit).map(id => listedNode(nodeView(state, id, nowMs)));
    return {
      text: `${counted(all.length, 'node')}.`,
      structured: { nodes, leftOut: all.length - nodes.length },
    };
  },
});

export const nodeDetailTool: McpTool = mcpTool({
  name: 'node_detail',
  title: 'Node detail',
  description:
    'One node: its machine, memory, devices with their load, their errors and what they were measured at; what its network ports and disks carry now.',
  input: v.object({ node: NODE }),
  output: v.object({
    ...headSchema.entries,
    ...figureSchemas(NODE_FIGURES),
    machine: v.pipe(
      v.string(),
      v.description('Model and chip, as the machine reports them; empty if it does not.'),
    ),
    cpuFp32: reportedFigureSchema,
    cpuMemoryRead: reportedFigureSchema,
    devices: v.array(deviceSchema),
    failedGpus: v.pipe(
      v.array(
        v.object({
          deviceId: v.string(),
          name: v.string(),
          gpu: v.string(),
          state: v.string(),
          reason: v.string(),
        }),
      ),
      v.description('GPUs that cannot be used: lost, or in need of a reset. Not in devices, nor in any sum.'),
    ),
    gpuErrors: v.pipe(
      v.array(
        v.object({
          xid: v.number(),
          kind: v.pipe(
            v.string(),
            v.description(
              'xid; sxid: of an NVSwitch; reset, reset-failed: of an AMD or Intel GPU, without a number.',
            ),
          ),
          meaning: v.string(),
          pciAddress: v.string(),
          count: v.number(),
          newestSecondsAgo: v.number(),
        }),
      ),
      v.description("Errors that NVIDIA's driver has logged since the machine started (Xid)."),
    ),
    gpuErrorsMissing: v.pipe(
      v.string(),
      v.description('Why nothing is known of such errors; empty where the log was read.'),
    ),
    traffic: portsSchema,
    diskTraffic: disksSchema,
  }),
  call: ({ node }, context) => {
    const view = nodeView(context.state, nodeOf(context.state, node), context.nowMs);
    const identity = knownValue(view.identity);
    const names = identity === undefined ? [] : [identity.model, identity.chip].filter(isKnown);
    return {
      text: `One node with ${counted(gpusOf(view).length, 'GPU')}, ${view.presence}.`,
      structured: {
        ...listedNode(view),
        machine: quoted(names.join(', ')),
        cpuFp32: measured(view.cpu, FP32_RATE, context),
        cpuMemoryRead: measured(view.cpu, BANDWIDTH, context),
        devices: view.gpus
          .flatMap(vendor => vendor.devices.map(gpu => device(gpu, vendor, context)))
          .slice(0, DEVICES_MAX),
        failedGpus: view.gpus
          .flatMap(({ failed }) => failed)
          .slice(0, DEVICES_MAX)
          .map(gpu => ({
            deviceId: quoted(gpu.deviceId),
            name: quoted(gpu.name),
            gpu: quoted(failedGpuLabel(gpu)),
            state: failedGpuText(gpu),
            reason: quoted(gpu.reason),
          })),
        gpuErrors: reportedErrors(view.gpuErrors),
        gpuErrorsMissing: missingReason(view.gpuErrors),
        traffic: reportedPorts(view.traffic),
        diskTraffic: reportedDisks(view.diskTraffic),
      },
    };
  },
});

const reportedErrors = (view: NodeView['gpuErrors']) =>
  (knownValue(view)?.errors ?? []).slice(0, DEVICES_MAX).map(error => ({
    xid: error.xid,
    kind: gpuErrorKind(error),
    meaning: xidMeaning(error).text,
    pciAddress: quoted(error.address),
    count: error.count,
    newestSecondsAgo: Math.round((error.newestAgeMs + ('ageMs' in view ? view.ageMs : 0)) / 1_000),
  }));

const listedNode = (view: NodeView): Infer<typeof headSchema> => ({
  nodeId: view.nodeId,
  name: quoted(view.name),
  presence: view.presence,
  lastSeenSecondsAgo: Number.isFinite(view.silentMs) ? Math.round(view.silentMs / 1_000) : null,
  gpuCount: gpusOf(view).length,
  ...figureFields(NODE_FIGURES, view, reading => view[reading]),
});

const device = (gpu: GpuView, vendor: VendorView, { nowMs }: McpContext): object => {
  const subject = { gpu, vendor, nowMs };
  return {
    deviceId: quoted(gpu.device.deviceId),
    name: quoted(gpu.device.name),
    problems: gpu.findings.map(({ what }) => quoted(what)),
    isLowerBound: gpu.profile?.value.isLowerBound === true,
    ...figureFields(GPU_FIGURES, subject, reading => gpuReading(subject, reading)),
  };
};

const measured = (
  { profile }: MeasuredDevice,
  { figure, unit }: MeasureRow,
  { nowMs }: McpContext,
): ReportedFigure =>
  profile === undefined
    ? unknownFigure(unit, 'not measured yet')
    : reportedFigureOf(profile.value[figure], {
        unit,
        ageMs: ageMsOf(profile, nowMs) + profile.value.measuredAgeMs,
        method: profile.value.method,
      });

const DEVICES_MAX = 16;
