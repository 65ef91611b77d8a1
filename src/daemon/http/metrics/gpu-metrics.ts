// The figures of a node's GPUs: what they are, what they were measured at, what they do now.

import { ageMsOf } from '../../../core/entry-maps.ts';
import { FAILED_GPU_STATES, type FailedGpu } from '../../../core/node/failed-gpu.ts';
import type { GpuProcess, GpuVendor, PcieLink } from '../../../core/node/gpu.ts';
import type { GpuHealth } from '../../../core/node/gpu-health.ts';
import { hasOwnMemory } from '../../../core/node/memory-use.ts';
import type { GpuView, VendorView } from '../../../core/node/node-view.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../../../core/unknown.ts';
import type { Labels, MetricPage } from './metric-page.ts';

/** The time at which a node is rendered, and with how much detail. */
export interface NodeMetricsMoment {
  readonly nowMs: number;
  readonly wallMs: number;
  /** Only the main figures: for a cluster with too many nodes to include all of each. */
  readonly isShort: boolean;
}

type GpuContext = NodeMetricsMoment & { readonly labels: Labels };

export const addGpus = (page: MetricPage, vendor: VendorView, context: GpuContext): void => {
  addCounts(page, vendor, context.labels);
  for (const gpu of vendor.failed) page.gauge(GPU.failed, failedLabels(gpu, context.labels), 1);
  for (const gpu of vendor.devices) {
    const { deviceId, name, memoryTotalBytes } = gpu.device;
    const gpuLabels = { ...context.labels, device: deviceId };
    // Sums over memory of hosts and GPUs must count nothing twice.
    page.gauge(GPU.memoryTotal, gpuLabels, hasOwnMemory(gpu) ? memoryTotalBytes : undefined);
    if (gpu.device.memoryIsUnified) {
      page.gauge(GPU.memoryUsable, gpuLabels, memoryTotalBytes);
      page.gauge(GPU.memoryReserved, gpuLabels, gpu.device.memoryReservedBytes);
    }
    if (!context.isShort) {
      page.gauge(GPU.info, { ...gpuLabels, vendor: vendor.vendor, model: name }, 1);
      addPcie(page, 'maximum', gpu.device.pcieMax, gpuLabels);
      addGpuProfile(page, gpu, { ...context, labels: gpuLabels });
      if (gpu.health !== undefined && vendor.healths.kind === 'current')
        addGpuHealth(page, gpu.health, gpuLabels);
    }
    if (gpu.load === undefined || gpu.isLoadStale) continue;
    page.gauge(GPU.use, gpuLabels, gpu.load.use);
    page.gauge(GPU.memoryUsed, gpuLabels, gpu.load.memoryUsedBytes);
    page.gauge(GPU.temperature, gpuLabels, gpu.load.temperatureCelsius);
    page.gauge(GPU.power, gpuLabels, gpu.load.powerWatts);
    for (const reason of knownOr(gpu.load.throttleReasons, [])) {
      page.gauge(GPU.throttled, { ...gpuLabels, reason: reason.slice(0, REASON_LENGTH_MAX) }, 1);
    }
    if (context.isShort) continue;
    page.gauge(GPU.encoder, gpuLabels, gpu.load.encoderUse);
    page.gauge(GPU.decoder, gpuLabels, gpu.load.decoderUse);
    addPcie(page, 'now', gpu.load.pcieNow, gpuLabels);
    page.gauge(GPU.processes, gpuLabels, knownOr(gpu.load.processes ?? NO_PROCESSES, undefined)?.length);
    const clockMhz = knownOr(gpu.load.clockMhz, undefined);
    page.gauge(GPU.clock, gpuLabels, clockMhz === undefined ? undefined : clockMhz * 1e6);
  }
};

/** A vendor of whom the machine has no GPU: one that it had within the week is missed by a rule. */
export const addAbsentGpus = (page: MetricPage, vendor: GpuVendor, labels: Labels): void =>
  page.gauge(GPU.count, { ...labels, vendor, state: 'working' }, 0);

/** Also 0, so that a rule sees what changes; of an inventory that is not current nothing is counted. */
const addCounts = (
  page: MetricPage,
  { vendor, inventory, devices, failed }: VendorView,
  labels: Labels,
): void => {
  if (inventory.kind !== 'current') return;
  page.gauge(GPU.count, { ...labels, vendor, state: 'working' }, devices.length);
  for (const state of FAILED_GPU_STATES)
    page.gauge(GPU.count, { ...labels, vendor, state }, failed.filter(gpu => gpu.state === state).length);
};

const failedLabels = ({ deviceId, pciAddress, state, name }: FailedGpu, labels: Labels): Labels => ({
  ...labels,
  device: deviceId,
  pci: knownOr(pciAddress, ''),
  model: name,
  state,
});

/** The generation drops while a device idles: compare the two only under load. */
const addPcie = (page: MetricPage, of: 'now' | 'maximum', link: Reported<PcieLink>, labels: Labels): void => {
  if (isUnknown(link)) return;
  page.gauge(GPU.pcieGeneration, { ...labels, of }, link.generation);
  page.gauge(GPU.pcieLanes, { ...labels, of }, link.width);
};

const addGpuProfile = (
  page: MetricPage,
  { profile }: GpuView,
  { labels, nowMs, wallMs }: GpuContext,
): void => {
  if (profile === undefined) return;
  const figures: readonly (readonly [{ readonly name: string; readonly help: string }, Reported<number>])[] =
    [
      [GPU.flops, profile.value.fp16FlopsPerSecond],
      [GPU.readRate, profile.value.memoryReadBytesPerSecond],
      [GPU.copyRate, profile.value.memoryCopyBytesPerSecond],
      [GPU.gemvRate, profile.value.memoryGemvBytesPerSecond],
      [GPU.int8, profile.value.int8OperationsPerSecond],
      [GPU.fp8, profile.value.fp8FlopsPerSecond],
    ];
  for (const [metric, figure] of figures) page.gauge(metric, labels, figure);
  // Of the figures, which a failed attempt keeps; a probe that never succeeded has no such moment.
  if (!figures.some(([, figure]) => isKnown(figure))) return;
  const ageMs = ageMsOf(profile, nowMs) + profile.value.measuredAgeMs;
  page.gauge(GPU.profiledAt, labels, (wallMs - ageMs) / 1_000);
};

const GPU = {
  info: { name: 'plimsoll_gpu_info', help: 'Always 1; describes the device in labels.' },
  count: {
    name: 'plimsoll_node_gpus',
    help: 'GPUs of a node that work, are lost, or must be reset.',
  },
  failed: {
    name: 'plimsoll_gpu_failed',
    help: 'Always 1, for each GPU that is lost or must be reset.',
  },
  memoryTotal: {
    name: 'plimsoll_gpu_memory_total_bytes',
    help: "The device's own memory; absent where unified.",
  },
  memoryUsable: {
    name: 'plimsoll_gpu_memory_usable_bytes',
    help: 'All memory that a device which shares the host’s can use.',
  },
  memoryReserved: {
    name: 'plimsoll_gpu_memory_reserved_bytes',
    help: 'Set aside by the firmware for such a device; not part of the host’s total.',
  },
  use: { name: 'plimsoll_gpu_use_ratio', help: 'Share of time in which a GPU kernel ran.' },
  memoryUsed: { name: 'plimsoll_gpu_memory_used_bytes', help: 'Memory in use on the device.' },
  temperature: { name: 'plimsoll_gpu_temperature_celsius', help: 'Temperature of the device.' },
  power: { name: 'plimsoll_gpu_power_watts', help: 'Power of the device.' },
  clock: { name: 'plimsoll_gpu_clock_hertz', help: 'Clock of the device now.' },
  pcieGeneration: { name: 'plimsoll_gpu_pcie_generation', help: 'Of the link to the host, now and at most.' },
  pcieLanes: { name: 'plimsoll_gpu_pcie_lanes', help: 'Of the link to the host, now and at most.' },
  processes: { name: 'plimsoll_gpu_processes', help: 'Processes on the device.' },
  encoder: { name: 'plimsoll_gpu_encoder_use_ratio', help: 'Share of time in which video was encoded.' },
  decoder: { name: 'plimsoll_gpu_decoder_use_ratio', help: 'Share of time in which video was decoded.' },
  throttled: { name: 'plimsoll_gpu_throttled', help: 'Always 1, for each reason that holds the clock down.' },
  flops: { name: 'plimsoll_gpu_fp16_flops_per_second', help: 'Measured FP16 matrix multiplication.' },
  readRate: { name: 'plimsoll_gpu_memory_read_bytes_per_second', help: 'Measured streaming read.' },
  copyRate: { name: 'plimsoll_gpu_memory_copy_bytes_per_second', help: 'Measured copy.' },
  gemvRate: {
    name: 'plimsoll_gpu_memory_gemv_bytes_per_second',
    help: 'Measured matrix times vector, bytes of the matrix.',
  },
  int8: { name: 'plimsoll_gpu_int8_operations_per_second', help: 'Measured INT8 matrix multiplication.' },
  fp8: { name: 'plimsoll_gpu_fp8_flops_per_second', help: 'Measured FP8 matrix multiplication.' },
  profiledAt: {
    name: 'plimsoll_gpu_profile_timestamp_seconds',
    help: 'When these figures were measured.',
  },
} as const;

const NO_PROCESSES: Reported<readonly GpuProcess[]> = unknown('not reported');
/** A vendor's words are short; a longer text would be another machine's. */
const REASON_LENGTH_MAX = 60;

// What a GPU counts of errors, as counters where it counts: names after those of dcgm-exporter, with unit and ending of Prometheus.

/** @param labels of the device. */
const addGpuHealth = (page: MetricPage, health: GpuHealth, labels: Labels): void => {
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
  rows: {
    name: 'plimsoll_gpu_remapped_rows_total',
    help: 'Rows of the memory of a GPU that were replaced by spare ones.',
  },
  pages: { name: 'plimsoll_gpu_retired_pages_total', help: 'Retired pages of the memory of a GPU.' },
  pending: {
    name: 'plimsoll_gpu_memory_repair_pending',
    help: '1 if a repair of the memory of a GPU needs a reset.',
  },
  failed: { name: 'plimsoll_gpu_memory_repair_failed', help: '1 if bad memory could not be replaced.' },
  replays: { name: 'plimsoll_gpu_pcie_replays_total', help: 'Packets sent again on the link to the host.' },
  up: { name: 'plimsoll_gpu_link_up', help: '1 if a link to other GPUs (NVLink) is up.' },
  bytes: {
    name: 'plimsoll_gpu_link_bytes_total',
    help: 'Data that a link to other GPUs (NVLink) has carried.',
  },
  errors: { name: 'plimsoll_gpu_link_errors_total', help: 'Errors of a link to other GPUs (NVLink).' },
  fabric: {
    name: 'plimsoll_gpu_fabric_degraded',
    help: '1 if the position of a GPU in the NVLink fabric is degraded.',
  },
  recovery: {
    name: 'plimsoll_gpu_recovery_needed',
    help: '1 if the driver of a GPU requires a reset or a restart.',
  },
} as const;
