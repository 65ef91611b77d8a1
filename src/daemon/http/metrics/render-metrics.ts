// What Prometheus reads: every node of the state and the daemon itself. Names are stable, units base units of
// Prometheus (seconds, bytes, ratios 0..1) or part of the name.

import type { NodeId } from '../../../core/ids.ts';
import type { LinkView } from '../../../core/link/link-view.ts';
import { nodeName, nodeView } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import type { State } from '../../../core/state.ts';
import { everyWarning } from '../../../core/warnings/cluster-warnings.ts';
import { boundedWarnings } from '../../../core/warnings/warning.ts';
import type { OtlpAnswer, StreamCounts, WebhookAnswer } from '../../../wire/api/daemon-answers.ts';
import type { MeshStatus } from '../../../wire/mesh-status.ts';
import type { DaemonResources } from '../http-options.ts';
import { addGroupMetrics } from './group-metrics.ts';
import { addGroupPairMetrics, addLinkMetrics } from './link-metrics.ts';
import { addLiveRunMetrics } from './live-run-metrics.ts';
import { MetricPage } from './metric-page.ts';
import { addNodeMetrics } from './node-metrics.ts';

interface MetricsInput {
  readonly state: State;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly nodeId: NodeId;
  readonly connectionsMax: number;
  /** The nodes that are asked for; all without it. */
  readonly only: ReadonlySet<NodeId> | undefined;
  readonly version: string;
  readonly startedAtWallMs: number;
  readonly resources: DaemonResources;
  readonly streams: StreamCounts;
  readonly mesh: MeshStatus | undefined;
  readonly otlp: OtlpAnswer | undefined;
  readonly webhooks: readonly WebhookAnswer[];
}

/** @param links all current links: the caller polls, and passes the same object for a link that has not changed. */
export const metricsOf = (input: MetricsInput, links: readonly LinkView[]): MetricPage => {
  const { state, nowMs, wallMs, nodeId, only } = input;
  const page = new MetricPage(wallMs);
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  const isLarge = only === undefined && views.length > WHOLE_NODES_MAX;
  const reported = only === undefined ? views : views.filter(view => only.has(view.nodeId));
  for (const view of reported)
    addNodeMetrics(page, view, { nowMs, isShort: isLarge && view.nodeId !== nodeId });
  page.gauge(CLUSTER_METRICS.inShort, {}, isLarge ? views.length - 1 : 0);
  // No words in the labels: their figures would make a new series of each.
  const warnings = everyWarning({ state, views, nowMs, links });
  for (const { id, level, nodes } of boundedWarnings(warnings)) {
    if (only !== undefined && !nodes.some(node => only.has(node))) continue;
    const names = nodes.map(node => nodeName(state, node)).join(',');
    page.gauge(CLUSTER_METRICS.warning, { id, level, nodes: names }, 1);
  }
  if (only === undefined) {
    addGroupMetrics(page, { state, views, warnings, nowMs });
    addGroupPairMetrics(page, { state, views, warnings, nowMs }, links);
  }
  const { connectionsMax } = input;
  addLinkMetrics(page, {
    ...input,
    links,
    connectionsMax: isLarge ? Math.min(LARGE_CONNECTIONS_MAX, connectionsMax) : connectionsMax,
  });
  addLiveRunMetrics(page, state, nowMs);
  addDaemonMetrics(page, input);
  addMeshMetrics(page, input.mesh);
  return page;
};

const addDaemonMetrics = (page: MetricPage, input: MetricsInput): void => {
  const { resources, streams } = input;
  page.gauge(DAEMON_METRICS.info, { version: input.version }, 1);
  page.gauge(DAEMON_METRICS.startTime, {}, input.startedAtWallMs / 1_000);
  page.counter(DAEMON_METRICS.cpu, {}, resources.cpuSeconds);
  page.gauge(DAEMON_METRICS.resident, {}, resources.residentBytes);
  page.gauge(DAEMON_METRICS.streams, {}, streams.clients);
  page.gauge(DAEMON_METRICS.streamQueue, {}, streams.queuedBytes);
  page.counter(DAEMON_METRICS.streamsRefused, {}, streams.refused);
  page.counter(DAEMON_METRICS.streamEventsLeftOut, {}, streams.leftOut);
  for (const [reason, count] of Object.entries(streams.dropped)) {
    page.counter(DAEMON_METRICS.streamsDropped, { reason }, count);
  }
  page.counter(DAEMON_METRICS.otlpSent, {}, input.otlp?.sent);
  page.counter(DAEMON_METRICS.otlpDropped, {}, input.otlp?.dropped);
  for (const { name: webhook, sent, dropped } of input.webhooks) {
    page.counter(DAEMON_METRICS.webhookSent, { webhook }, sent);
    page.counter(DAEMON_METRICS.webhookDropped, { webhook }, dropped);
  }
};

/** With more nodes, only the answering node has all figures, and the others only the main ones. */
const WHOLE_NODES_MAX = 40;
/** The number of connections of those that are included. */
const LARGE_CONNECTIONS_MAX = 150;

export const CLUSTER_METRICS = {
  inShort: {
    name: 'plimsoll_nodes_in_short',
    help: 'Nodes with only their main figures here: use ?node= or ?group= for all figures.',
  },
  warning: {
    name: 'plimsoll_warning',
    help: 'Always 1; one per warning, by kind and nodes.',
  },
} as const;

export const DAEMON_METRICS = {
  info: { name: 'plimsoll_daemon_info', help: 'Always 1; the version is a label.' },
  startTime: { name: 'plimsoll_daemon_start_time_seconds', help: 'Unix time of the start.' },
  cpu: { name: 'plimsoll_daemon_cpu_seconds_total', help: 'Processor time of the daemon.' },
  resident: { name: 'plimsoll_daemon_resident_memory_bytes', help: 'Resident memory of the daemon.' },
  streams: { name: 'plimsoll_daemon_stream_clients', help: 'Open event streams.' },
  streamQueue: { name: 'plimsoll_daemon_stream_queued_bytes', help: 'Bytes queued for all event streams.' },
  streamsRefused: { name: 'plimsoll_daemon_streams_refused_total', help: 'Streams beyond the limit.' },
  streamEventsLeftOut: {
    name: 'plimsoll_daemon_stream_events_left_out_total',
    help: 'Events and entries that could not be written to a stream.',
  },
  streamsDropped: { name: 'plimsoll_daemon_streams_dropped_total', help: 'Streams ended by the daemon.' },
  otlpSent: { name: 'plimsoll_daemon_otlp_sent_total', help: 'Messages that a receiver of OTLP accepted.' },
  otlpDropped: { name: 'plimsoll_daemon_otlp_dropped_total', help: 'Messages of OTLP that were dropped.' },
  webhookSent: {
    name: 'plimsoll_daemon_webhook_sent_total',
    help: 'Warnings raised or cleared that a webhook accepted.',
  },
  webhookDropped: {
    name: 'plimsoll_daemon_webhook_dropped_total',
    help: 'Warnings raised or cleared that a webhook refused for good.',
  },
} as const;

// The mesh for Prometheus: links, refusals, and the counts of replication. Nothing without a mesh.
const addMeshMetrics = (page: MetricPage, mesh: MeshStatus | undefined): void => {
  if (mesh?.kind !== 'on') return;
  page.gauge(MESH_METRICS.links, {}, mesh.linkCount);
  for (const [reason, count] of Object.entries(mesh.refusals))
    page.counter(MESH_METRICS.refusals, { reason }, count);
  for (const [what, count] of Object.entries(mesh.replication))
    page.counter(MESH_METRICS.replication, { what }, count);
  if (mesh.fleet === undefined) return;
  page.gauge(MESH_METRICS.fleetMembers, {}, mesh.fleet.memberCount);
  for (const [what, count] of Object.entries(mesh.fleet.counts))
    page.counter(MESH_METRICS.fleet, { what }, count);
};

export const MESH_METRICS = {
  links: { name: 'plimsoll_mesh_links', help: 'Nodes that are linked now.' },
  refusals: {
    name: 'plimsoll_mesh_refusals_total',
    help: 'Handshakes and connection attempts that did not become a link.',
  },
  replication: {
    name: 'plimsoll_mesh_replication_total',
    help: 'Events and frames by outcome: sent, stored, repeated, forged, dropped.',
  },
  fleetMembers: {
    name: 'plimsoll_fleet_members',
    help: 'Other nodes that published to the fleet a moment ago.',
  },
  fleet: {
    name: 'plimsoll_fleet_total',
    help: 'Messages through the server of the fleet by outcome: published, received, refused with its reason, dropped.',
  },
} as const;
