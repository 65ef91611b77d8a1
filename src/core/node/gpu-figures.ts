// The figures of a GPU: what it is, what it does now, what it was measured at, what it counts of errors. One row each, in
// the order in which they are exported. Counters of errors have names after those of dcgm-exporter.

import { ageMsOf } from '../entry-maps.ts';
import {
  ERRORS,
  type FigureRow,
  type FigureUnit,
  type FigureValue,
  gauge,
  POWER,
  TEMPERATURE,
  upDown,
} from '../figure/figure-row.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../unknown.ts';
import type { PcieLink } from './gpu.ts';
import type { GpuHealth, GpuLink } from './gpu-health.ts';
import { DEVICE_MEASURES } from './gpu-profile.ts';
import { gpuMemoryUse, hasOwnMemory, usedShare } from './memory-use.ts';
import type { GpuView, VendorView } from './node-view.ts';
import type { ReadingView } from './reading-view.ts';

export interface GpuSubject {
  readonly gpu: GpuView;
  readonly vendor: VendorView;
  readonly nowMs: number;
}

type GpuReading = 'inventory' | 'load' | 'profile' | 'health';
type GpuRow = FigureRow<GpuSubject, GpuReading>;
type LoadRow = FigureRow<Pick<GpuSubject, 'gpu'>, 'load'>;
type GpuColumns = Omit<GpuRow, 'unit' | 'aging'>;

const inventory = (unit: FigureUnit, row: GpuColumns): GpuRow => ({
  unit,
  aging: 'inventory',
  isKept: true,
  ...row,
});

const live = (unit: FigureUnit, row: Omit<LoadRow, 'unit' | 'aging'>): LoadRow => ({
  unit,
  aging: 'load',
  ...row,
});

const counted = (
  unit: FigureUnit,
  of: (health: GpuHealth) => FigureValue,
  row: Omit<GpuColumns, 'of'>,
): GpuRow => ({
  unit,
  aging: 'health',
  isDetail: true,
  of: ({ gpu: { health } }) => (health === undefined ? undefined : of(health)),
  ...row,
});

const pcie = (link: Reported<PcieLink> | undefined): PcieLink | undefined =>
  link === undefined ? undefined : knownOr(link, undefined);

const PCIE_HELP = 'Of the link to the host, now and at most.';

/** What it does now. */
export const GPU_LOAD_FIGURES: readonly LoadRow[] = [
  live('share', {
    label: 'Use',
    help: 'Share of time in which a GPU kernel ran.',
    of: ({ gpu }) => gpu.load?.use,
    metric: 'plimsoll_gpu_use_ratio',
    otlp: gauge('hw.gpu.utilization', 'Fraction of time in which a kernel ran.', {
      'hw.gpu.task': 'general',
    }),
    mcp: 'use',
    history: 'use',
    high: 1,
    column: { title: 'Use', widthMax: 6, rank: 0 },
  }),
  live('bytes', {
    help: 'Memory in use on the device.',
    of: ({ gpu }) => gpu.load?.memoryUsedBytes,
    metric: 'plimsoll_gpu_memory_used_bytes',
    otlp: upDown('hw.gpu.memory.usage', 'GPU memory used.'),
    mcp: 'memoryUsed',
    history: 'memoryUsedBytes',
    whole: ({ gpu }) => gpu.device.memoryTotalBytes,
    column: { title: 'Memory', widthMax: 18, rank: 1 },
  }),
  live('share', {
    help: 'Share of the memory of the device that is in use.',
    of: ({ gpu }) => usedShare(gpuMemoryUse(gpu)),
    otlp: gauge('hw.gpu.memory.utilization', 'Fraction of GPU memory used.'),
  }),
  live('°C', {
    label: 'Temperature',
    help: 'Temperature of the device.',
    of: ({ gpu }) => gpu.load?.temperatureCelsius,
    metric: 'plimsoll_gpu_temperature_celsius',
    otlp: {
      ...TEMPERATURE,
      sensor: {
        'hw.id': ({ gpu }) => `${gpu.device.deviceId}.temperature`,
        'hw.parent': ({ gpu }) => gpu.device.deviceId,
        'hw.sensor_location': 'gpu',
      },
    },
    mcp: 'temperature',
    history: 'temperatureCelsius',
    high: 90,
    column: { title: 'Temp', widthMax: 6, rank: 0 },
  }),
  live('W', {
    label: 'Power',
    help: 'Power of the device.',
    of: ({ gpu }) => gpu.load?.powerWatts,
    metric: 'plimsoll_gpu_power_watts',
    otlp: { ...POWER, attributes: { 'hw.type': 'gpu' } },
    mcp: 'power',
    history: 'powerWatts',
    high: ({ gpu }) => knownOr(gpu.device.powerLimitWatts, 100),
    column: { title: 'Power', widthMax: 8, rank: 2 },
  }),
  live('share', {
    help: 'Share of time in which video was encoded.',
    of: ({ gpu }) => gpu.load?.encoderUse,
    isDetail: true,
    metric: 'plimsoll_gpu_encoder_use_ratio',
  }),
  live('share', {
    help: 'Share of time in which video was decoded.',
    of: ({ gpu }) => gpu.load?.decoderUse,
    isDetail: true,
    metric: 'plimsoll_gpu_decoder_use_ratio',
  }),
  live('', {
    // It drops while a device idles: it is compared with the greatest one only under load.
    help: PCIE_HELP,
    of: ({ gpu }) => pcie(gpu.load?.pcieNow)?.generation,
    isDetail: true,
    metric: 'plimsoll_gpu_pcie_generation',
    labels: { of: 'now' },
  }),
  live('', {
    help: PCIE_HELP,
    of: ({ gpu }) => pcie(gpu.load?.pcieNow)?.width,
    isDetail: true,
    metric: 'plimsoll_gpu_pcie_lanes',
    labels: { of: 'now' },
  }),
  live('', {
    help: 'Processes on the device.',
    of: ({ gpu }) =>
      gpu.load?.processes === undefined ? undefined : knownOr(gpu.load.processes, undefined)?.length,
    isDetail: true,
    metric: 'plimsoll_gpu_processes',
  }),
  live('MHz', {
    label: 'Clock',
    help: 'Clock of the device now.',
    of: ({ gpu }) => gpu.load?.clockMhz,
    isDetail: true,
    metric: 'plimsoll_gpu_clock_hertz',
    history: 'clockMhz',
    high: 2_500,
  }),
];

export const GPU_FIGURES: readonly GpuRow[] = [
  inventory('bytes', {
    help: "The device's own memory; absent where unified.",
    // Sums over memory of hosts and GPUs must count nothing twice.
    of: ({ gpu }) => (hasOwnMemory(gpu) ? gpu.device.memoryTotalBytes : undefined),
    metric: 'plimsoll_gpu_memory_total_bytes',
    otlp: upDown('hw.gpu.memory.limit', 'Size of the GPU memory; none where it is unified with the host.'),
  }),
  inventory('bytes', {
    help: 'All memory that a device which shares the host’s can use.',
    of: ({ gpu: { device } }) => (device.memoryIsUnified ? device.memoryTotalBytes : undefined),
    metric: 'plimsoll_gpu_memory_usable_bytes',
  }),
  inventory('bytes', {
    help: 'Set aside by the firmware for such a device; not part of the host’s total.',
    of: ({ gpu: { device } }) => (device.memoryIsUnified ? device.memoryReservedBytes : undefined),
    metric: 'plimsoll_gpu_memory_reserved_bytes',
  }),
  inventory('bytes', {
    help: 'All memory that it can use.',
    of: ({ gpu }) => gpu.device.memoryTotalBytes,
    mcp: 'memoryTotal',
  }),
  inventory('', {
    help: 'Always 1; describes the device in labels.',
    of: () => 1,
    isDetail: true,
    metric: 'plimsoll_gpu_info',
    labels: { vendor: ({ vendor }) => vendor.vendor, model: ({ gpu }) => gpu.device.name },
  }),
  inventory('', {
    help: PCIE_HELP,
    of: ({ gpu }) => pcie(gpu.device.pcieMax)?.generation,
    isDetail: true,
    metric: 'plimsoll_gpu_pcie_generation',
    labels: { of: 'maximum' },
  }),
  inventory('', {
    help: PCIE_HELP,
    of: ({ gpu }) => pcie(gpu.device.pcieMax)?.width,
    isDetail: true,
    metric: 'plimsoll_gpu_pcie_lanes',
    labels: { of: 'maximum' },
  }),
  ...GPU_LOAD_FIGURES,
  ...DEVICE_MEASURES.map(
    ({ figure, ...row }): GpuRow => ({
      aging: 'profile',
      isDetail: true,
      of: ({ gpu }) => gpu.profile?.value[figure],
      ...row,
    }),
  ),
  {
    unit: 'age',
    help: 'When these figures were measured.',
    // Of the figures, which a failed attempt keeps; a probe that never succeeded has no such moment.
    of: ({ gpu: { profile }, nowMs }) =>
      profile !== undefined &&
      DEVICE_MEASURES.some(({ metric, figure }) => metric !== undefined && isKnown(profile.value[figure]))
        ? ageMsOf(profile, nowMs) + profile.value.measuredAgeMs
        : undefined,
    isDetail: true,
    metric: 'plimsoll_gpu_profile_timestamp_seconds',
  },
  ...(['corrected', 'uncorrected'] as const).map(kind =>
    counted('errors', ({ eccVolatile }) => eccVolatile[kind], {
      help: 'Memory errors, since the driver was loaded or over the life of the device.',
      metric: 'plimsoll_gpu_ecc_errors_total',
      labels: { since: 'driver', kind },
      otlp: { ...ERRORS, attributes: { 'hw.type': 'gpu', 'error.type': kind } },
      mcp: `${kind}MemoryErrors`,
    }),
  ),
  ...(['corrected', 'uncorrected'] as const).map(kind =>
    counted('errors', ({ eccAggregate }) => eccAggregate[kind], {
      help: 'Memory errors, since the driver was loaded or over the life of the device.',
      metric: 'plimsoll_gpu_ecc_errors_total',
      labels: { since: 'ever', kind },
    }),
  ),
  ...(['Corrected', 'Uncorrected'] as const).map(kind =>
    counted('errors', ({ repair }) => repair[`rowsAfter${kind}`], {
      help: 'Rows of the memory of a GPU that were replaced by spare ones.',
      metric: 'plimsoll_gpu_remapped_rows_total',
      labels: { after: kind.toLowerCase() },
    }),
  ),
  counted('errors', ({ repair }) => repair.retiredPages, {
    help: 'Retired pages of the memory of a GPU.',
    metric: 'plimsoll_gpu_retired_pages_total',
  }),
  counted('flag', ({ repair }) => repair.isPending, {
    help: '1 if a repair of the memory of a GPU needs a reset.',
    metric: 'plimsoll_gpu_memory_repair_pending',
  }),
  counted('flag', ({ repair }) => repair.hasFailed, {
    help: '1 if bad memory could not be replaced.',
    metric: 'plimsoll_gpu_memory_repair_failed',
  }),
  counted('errors', ({ pcieReplays }) => pcieReplays, {
    help: 'Packets sent again on the link to the host.',
    metric: 'plimsoll_gpu_pcie_replays_total',
  }),
  counted('flag', ({ recoveryAction }) => isNotEmpty(recoveryAction), {
    help: '1 if the driver of a GPU requires a reset or a restart.',
    metric: 'plimsoll_gpu_recovery_needed',
  }),
  counted('flag', ({ fabric }) => (fabric === undefined ? undefined : isNotEmpty(fabric)), {
    help: '1 if the position of a GPU in the NVLink fabric is degraded.',
    metric: 'plimsoll_gpu_fabric_degraded',
  }),
];

const isNotEmpty = (value: Reported<string | readonly string[]>): FigureValue =>
  isUnknown(value) ? value : value.length > 0;

/** The reading that a figure is from; undefined: it was never measured. */
export const gpuReading = (
  { gpu: { load, loadAgeMs, isLoadStale, profile }, vendor, nowMs }: GpuSubject,
  aging: GpuReading,
): ReadingView<unknown> | undefined => {
  switch (aging) {
    case 'inventory':
      return vendor.inventory;
    case 'health':
      return vendor.healths;
    case 'load':
      // One device may be late while the others of its vendor are not.
      return load !== undefined && (vendor.loads.kind === 'current' || vendor.loads.kind === 'stale')
        ? { reason: '', ...vendor.loads, kind: isLoadStale ? 'stale' : 'current', ageMs: loadAgeMs }
        : vendor.loads;
    case 'profile':
      return profile === undefined
        ? undefined
        : {
            kind: 'current',
            value: profile.value,
            source: profile.value.method,
            ageMs: ageMsOf(profile, nowMs) + profile.value.measuredAgeMs,
          };
    default:
      return aging satisfies never;
  }
};

/** A link of a GPU to other GPUs (NVLink), by its number. */
export const GPU_LINK_FIGURES: readonly FigureRow<GpuLink>[] = [
  {
    unit: 'flag',
    help: '1 if a link to other GPUs (NVLink) is up.',
    of: ({ isUp }) => isUp,
    metric: 'plimsoll_gpu_link_up',
  },
  ...(
    [
      ['transmit', 'sentBytes'],
      ['receive', 'receivedBytes'],
    ] as const
  ).map(
    ([direction, figure]): FigureRow<GpuLink> => ({
      unit: 'bytes',
      help: 'Data that a link to other GPUs (NVLink) has carried.',
      of: link => link[figure],
      metric: 'plimsoll_gpu_link_bytes_total',
      labels: { direction },
    }),
  ),
  ...(
    [
      ['replay', 'replays'],
      ['recovery', 'recoveries'],
      ['crc', 'crcErrors'],
    ] as const
  ).map(
    ([kind, figure]): FigureRow<GpuLink> => ({
      unit: 'errors',
      help: 'Errors of a link to other GPUs (NVLink).',
      of: link => link[figure],
      metric: 'plimsoll_gpu_link_errors_total',
      labels: { kind },
    }),
  ),
];
