// What a GPU counts of errors, as counters where it counts: names after those of dcgm-exporter, with unit and ending of Prometheus.

import type { GpuHealth } from '../../../core/node/gpu-health.ts';
import { knownOr, type Reported } from '../../../core/unknown.ts';
import type { Labels, MetricPage } from './metric-page.ts';

/** @param labels of the device. */
export const addGpuHealth = (page: MetricPage, health: GpuHealth, labels: Labels): void => {
  const { eccVolatile, eccAggregate, repair } = health;
  for (const [since, counts] of [['driver', eccVolatile] as const, ['ever', eccAggregate] as const]) {
    page.counter(HEALTH.ecc, { ...labels, since, kind: 'corrected' }, counts.corrected);
    page.counter(HEALTH.ecc, { ...labels, since, kind: 'uncorrected' }, counts.uncorrected);
  }
  page.counter(HEALTH.rows, { ...labels, after: 'corrected' }, repair.rowsAfterCorrected);
  page.counter(HEALTH.rows, { ...labels, after: 'uncorrected' }, repair.rowsAfterUncorrected);
  page.counter(HEALTH.pages, labels, repair.retiredPages);
  page.gauge(HEALTH.pending, labels, repair.isPending);
  page.gauge(HEALTH.failed, labels, repair.hasFailed);
  page.counter(HEALTH.replays, labels, health.pcieReplays);
  page.gauge(HEALTH.recovery, labels, isRequested(health.recoveryAction));
  page.gauge(HEALTH.fabric, labels, isDegraded(health.fabric));
  for (const link of knownOr(health.links, [])) {
    const linkLabels = { ...labels, link: String(link.number) };
    page.gauge(HEALTH.up, linkLabels, link.isUp);
    page.counter(HEALTH.bytes, { ...linkLabels, direction: 'transmit' }, link.sentBytes);
    page.counter(HEALTH.bytes, { ...linkLabels, direction: 'receive' }, link.receivedBytes);
    page.counter(HEALTH.errors, { ...linkLabels, kind: 'replay' }, link.replays);
    page.counter(HEALTH.errors, { ...linkLabels, kind: 'recovery' }, link.recoveries);
    page.counter(HEALTH.errors, { ...linkLabels, kind: 'crc' }, link.crcErrors);
  }
};

const isDegraded = (fabric: GpuHealth['fabric']): boolean | undefined => {
  const faults = fabric === undefined ? undefined : knownOr(fabric, undefined);
  return faults === undefined ? undefined : faults.length > 0;
};

const isRequested = (action: Reported<string>): Reported<boolean> =>
  typeof action === 'string' ? action !== '' : action;

const HEALTH = {
  ecc: {
    name: 'plimsoll_gpu_ecc_errors_total',
    help: 'Memory errors, since the driver was loaded or over the life of the device.',
  },
  rows: { name: 'plimsoll_gpu_remapped_rows_total', help: 'Rows of its memory replaced by spare ones.' },
  pages: { name: 'plimsoll_gpu_retired_pages_total', help: 'Retired pages of its memory.' },
  pending: {
    name: 'plimsoll_gpu_memory_repair_pending',
    help: '1 if a repair of its memory waits for a reset.',
  },
  failed: { name: 'plimsoll_gpu_memory_repair_failed', help: '1 if bad memory could not be replaced.' },
  replays: { name: 'plimsoll_gpu_pcie_replays_total', help: 'Packets sent again on the link to the host.' },
  up: { name: 'plimsoll_gpu_link_up', help: '1 if a link to other GPUs (NVLink) is up.' },
  bytes: { name: 'plimsoll_gpu_link_bytes_total', help: 'Data that such a link has carried.' },
  errors: { name: 'plimsoll_gpu_link_errors_total', help: 'Errors of such a link.' },
  fabric: { name: 'plimsoll_gpu_fabric_degraded', help: '1 if its place in the NVLink fabric is degraded.' },
  recovery: {
    name: 'plimsoll_gpu_recovery_needed',
    help: '1 if its driver requires a reset or a restart.',
  },
} as const;
