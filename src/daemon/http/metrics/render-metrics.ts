// What Prometheus reads: every node of the state and the daemon itself. Names are stable, units base units of
// Prometheus (seconds, bytes, ratios 0..1) or said in the name.

import type { NodeId } from '../../../core/ids.ts';
import { nodeName, nodeView } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import type { State } from '../../../core/state.ts';
import { isKnown, isUnknown } from '../../../core/unknown.ts';
import { boundedWarnings } from '../../../core/warnings/bounded-warnings.ts';
import { everyWarning } from '../../../core/warnings/cluster-warnings.ts';
import type { StreamCounts } from '../../../wire/api/daemon-answers.ts';
import type { MeshStatus } from '../../../wire/mesh-status.ts';
import { listedLinks } from '../cluster-views.ts';
import type { DaemonResources } from '../http-options.ts';
import { addGroupMetrics } from './group-metrics.ts';
import { addLiveRunMetrics } from './live-run-metrics.ts';
import { addMeshMetrics } from './mesh-metrics.ts';
import { type Labels, MetricPage } from './metric-page.ts';
import { addNodeMetrics } from './node-metrics.ts';

export interface MetricsInput {
  readonly state: State;
  readonly nowMs: number;
  readonly nodeId: NodeId;
  readonly connectionsMax: number;
  readonly version: string;
  readonly startedAtWallMs: number;
  readonly resources: DaemonResources;
  readonly streams: StreamCounts;
  readonly mesh: MeshStatus | undefined;
}

/** Prometheus' text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export const renderMetrics = (input: MetricsInput): Promise<string> => {
  const page = new MetricPage();
  const { state, nowMs } = input;
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  for (const view of views) addNodeMetrics(page, view, nowMs);
  // No words in the labels: their figures would make a new series of each.
  const warnings = everyWarning({ state, views, nowMs });
  for (const { id, level, nodes } of boundedWarnings(warnings)) {
    const names = nodes.map(node => nodeName(state, node)).join(',');
    page.gauge(WARNING, { id, level, nodes: names }, 1);
  }
  addGroupMetrics(page, { state, views, warnings, nowMs });
  addLinkMetrics(page, input);
  addLiveRunMetrics(page, state, nowMs);
  addDaemonMetrics(page, input);
  addMeshMetrics(page, input.mesh);
  return page.text();
};

/** A whole mesh has connections by the square of its nodes: past the bound each node tells its own first. */
const addLinkMetrics = (page: MetricPage, { state, nowMs, nodeId, connectionsMax }: MetricsInput): void => {
  const rows = listedLinks(state, nowMs);
  const [own, others] = [
    rows.filter(row => row.source === nodeId),
    rows.filter(row => row.source !== nodeId),
  ];
  const told = [...own, ...others].slice(0, connectionsMax);
  page.gauge(LINK.leftOut, {}, rows.length - told.length);
  for (const { source, sink, connectionKey, carrier, profile } of told) {
    const labels: Labels = {
      source,
      source_name: nodeName(state, source),
      sink,
      sink_name: nodeName(state, sink),
      connection: connectionKey,
    };
    if (isKnown(carrier)) page.gauge(LINK.negotiated, labels, carrier.negotiatedBitsPerSecond);
    if ('reason' in profile) continue;
    const measured = profile.value;
    page.gauge(LINK.upload, labels, measured.uploadBitsPerSecond);
    page.gauge(LINK.download, labels, measured.downloadBitsPerSecond);
    page.gauge(LINK.roundTrip, labels, secondsOf(measured.roundTripNsP50));
    page.gauge(LINK.jitter, labels, secondsOf(measured.jitterNs));
    page.gauge(LINK.age, labels, profile.ageMs / 1_000);
  }
};

const addDaemonMetrics = (page: MetricPage, input: MetricsInput): void => {
  const { resources, streams } = input;
  page.gauge(DAEMON.info, { version: input.version }, 1);
  page.gauge(DAEMON.startTime, {}, input.startedAtWallMs / 1_000);
  page.counter(DAEMON.cpu, {}, resources.cpuSeconds);
  page.gauge(DAEMON.resident, {}, resources.residentBytes);
  page.gauge(DAEMON.streams, {}, streams.clients);
  page.gauge(DAEMON.streamQueue, {}, streams.queuedBytes);
  page.counter(DAEMON.streamsRefused, {}, streams.refused);
  page.counter(DAEMON.streamEventsLeftOut, {}, streams.leftOut);
  for (const [reason, count] of Object.entries(streams.dropped)) {
    page.counter(DAEMON.streamsDropped, { reason }, count);
  }
};

const secondsOf = (nanoseconds: number | { readonly kind: 'unknown' }): number | undefined =>
  isUnknown(nanoseconds) || typeof nanoseconds !== 'number' ? undefined : nanoseconds / 1e9;

const WARNING = {
  name: 'plimsoll_warning',
  help: 'Always 1; one per warning, by kind and nodes.',
};

const LINK = {
  leftOut: {
    name: 'plimsoll_links_left_out',
    help: 'Connections beyond the limit, as counted by their own nodes.',
  },
  negotiated: {
    name: 'plimsoll_link_negotiated_bits_per_second',
    help: 'Negotiated rate of the slower end of a connection.',
  },
  upload: { name: 'plimsoll_link_upload_bits_per_second', help: 'Measured, source to sink.' },
  download: { name: 'plimsoll_link_download_bits_per_second', help: 'Measured, sink to source.' },
  roundTrip: { name: 'plimsoll_link_round_trip_p50_seconds', help: 'Median round trip.' },
  jitter: { name: 'plimsoll_link_jitter_seconds', help: 'Mean difference between consecutive round trips.' },
  age: { name: 'plimsoll_link_profile_age_seconds', help: 'Age of the figures of a connection.' },
} as const;

const DAEMON = {
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
} as const;
