// The figures of one node. Live values are exported only while they are current, so a stalled source shows as a gap and
// a growing age, never as a flat line; inventory stays as long as the node is known.

import type { Labels } from '../../../core/figure/figure-row.ts';
import { FIGURED_READINGS, GPU_ERROR_FIGURES, itemFiguresOf } from '../../../core/node/carrier-figures.ts';
import { FAILED_GPU_STATES } from '../../../core/node/failed-gpu.ts';
import { GPU_FIGURES, GPU_LINK_FIGURES, gpuReading } from '../../../core/node/gpu-figures.ts';
import { NODE_FIGURES } from '../../../core/node/node-figures.ts';
import type { NodeReadings, NodeView, VendorView } from '../../../core/node/node-view.ts';
import type { NodeReadingKind } from '../../../core/node/reading.ts';
import { readingsOf } from '../../../core/node/reading-rows.ts';
import { knownOr } from '../../../core/unknown.ts';
import type { MetricPage } from './metric-page.ts';

interface NodeMetricsOptions {
  readonly nowMs: number;
  /** Only the main figures: for a cluster with too many nodes to include all of each. */
  readonly isShort: boolean;
}

export const addNodeMetrics = (
  page: MetricPage,
  view: NodeView,
  { nowMs, isShort }: NodeMetricsOptions,
): void => {
  const labels: Labels = { node: view.nodeId, name: view.name };
  page.figures(NODE_FIGURES, view, {
    labels,
    isShort,
    isCurrent: reading => view[reading].kind === 'current',
  });
  for (const { kind, count } of view.refusedKinds)
    page.counter(NODE_METRICS.refused, { ...labels, kind }, count);
  for (const vendor of view.gpus) addGpus(page, vendor, { labels, nowMs, isShort });
  // Of a vendor of which the machine has no GPU: one that it had within the week is missed by a rule.
  for (const { vendor } of view.absentGpus)
    page.gauge(NODE_METRICS.gpus, { ...labels, vendor, state: 'working' }, 0);
  addReadings(page, view, { labels, isShort });
  if (view.gpuErrors.kind === 'current')
    for (const error of view.gpuErrors.value.errors)
      page.figures(GPU_ERROR_FIGURES, { error, readingAgeMs: view.gpuErrors.ageMs }, { labels });
  if (isShort) return;
  for (const reading of FIGURED_READINGS) putItems(page, view, reading, labels);
};

const putItems = <R extends NodeReadingKind>(
  page: MetricPage,
  view: NodeView,
  reading: R,
  labels: Labels,
): void => {
  const shown: NodeReadings[R] = view[reading];
  if (shown.kind === 'current') itemFiguresOf(reading)?.put(page, shown.value, labels);
};

type Scope = NodeMetricsOptions & { readonly labels: Labels };

const addGpus = (page: MetricPage, vendor: VendorView, { labels, nowMs, isShort }: Scope): void => {
  addCounts(page, vendor, labels);
  for (const { deviceId, pciAddress, name, state } of vendor.failed)
    page.gauge(
      NODE_METRICS.failed,
      { ...labels, device: deviceId, pci: knownOr(pciAddress, ''), model: name, state },
      1,
    );
  for (const gpu of vendor.devices) {
    const subject = { gpu, vendor, nowMs };
    const ofGpu = { ...labels, device: gpu.device.deviceId };
    const isCurrent = (reading: Parameters<typeof gpuReading>[1]): boolean =>
      gpuReading(subject, reading)?.kind === 'current';
    page.figures(GPU_FIGURES, subject, { labels: ofGpu, isShort, isCurrent });
    if (gpu.load !== undefined && !gpu.isLoadStale)
      for (const reason of knownOr(gpu.load.throttleReasons, []))
        page.gauge(NODE_METRICS.throttled, { ...ofGpu, reason: reason.slice(0, REASON_LENGTH_MAX) }, 1);
    if (isShort || !isCurrent('health')) continue;
    for (const link of knownOr(gpu.health?.links ?? [], []))
      page.figures(GPU_LINK_FIGURES, link, { labels: { ...ofGpu, link: String(link.number) } });
  }
};

/** Also 0, so that a rule sees what changes; of an inventory that is not current nothing is counted. */
const addCounts = (
  page: MetricPage,
  { vendor, inventory, devices, failed }: VendorView,
  labels: Labels,
): void => {
  if (inventory.kind !== 'current') return;
  page.gauge(NODE_METRICS.gpus, { ...labels, vendor, state: 'working' }, devices.length);
  for (const state of FAILED_GPU_STATES)
    page.gauge(
      NODE_METRICS.gpus,
      { ...labels, vendor, state },
      failed.filter(gpu => gpu.state === state).length,
    );
};

const addReadings = (page: MetricPage, view: NodeView, { labels, isShort }: Omit<Scope, 'nowMs'>): void => {
  for (const { key, view: shown } of readingsOf(view)) {
    // What a machine does not have is neither late nor failing.
    if (shown.kind === 'waiting' || shown.kind === 'absent') continue;
    // In short, only what somebody has to look at.
    if (isShort && shown.kind === 'current') continue;
    const readingLabels = { ...labels, reading: snakeCase(key) };
    // An unavailable reading has no value that could have an age.
    if (shown.kind !== 'unavailable') page.since(NODE_METRICS.readingTime, readingLabels, shown.ageMs);
    page.gauge(NODE_METRICS.readingCurrent, readingLabels, shown.kind === 'current');
  }
};

/** "rdmaDevices" as Prometheus writes names; "gpus nvidia" with its vendor after it. */
const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`).replace(' ', '_');

/** A vendor's words are short; a longer text would be another machine's. */
const REASON_LENGTH_MAX = 60;

/** What is counted of a node rather than read: names and their meaning. */
export const NODE_METRICS = {
  refused: {
    name: 'plimsoll_node_events_refused_total',
    help: 'Events past the bound on entries of one node and kind.',
  },
  readingTime: {
    name: 'plimsoll_reading_timestamp_seconds',
    help: 'When the newest value of a reading was read.',
  },
  readingCurrent: {
    name: 'plimsoll_reading_current',
    help: '1 while a reading arrives on time, 0 when it is late or failing.',
  },
  gpus: {
    name: 'plimsoll_node_gpus',
    help: 'GPUs of a node that work, are lost, or must be reset.',
  },
  failed: {
    name: 'plimsoll_gpu_failed',
    help: 'Always 1, for each GPU that is lost or must be reset.',
  },
  throttled: {
    name: 'plimsoll_gpu_throttled',
    help: 'Always 1, for each reason that holds the clock down.',
  },
} as const;
