// The performance of a device, measured by a probe. Counts in totals only while fresh; the figures of a
// failed probe stay next to its failure.

import * as v from 'valibot';
import { type FigureRow, gauge, type PlainInstrument } from '../figure/figure-row.ts';
import { failure } from '../link/link-profile.ts';
import { allUnknown, figure, type Infer, openObject, reported, type Schema, text } from '../schema.ts';
import { isUnknown, type Unknown } from '../unknown.ts';

/** What a probe measures, read as operations or bytes a second. */
// @__NO_SIDE_EFFECTS__
export const deviceFigures = (operations: Schema<number>, memory: Schema<number>) => ({
  /** Matrix product, inputs FP16, sums FP32. */
  fp16FlopsPerSecond: reported(operations),
  /** For engines and devices without FP16; never added to the figure above. */
  fp32FlopsPerSecond: reported(operations),
  memoryReadBytesPerSecond: reported(memory),
  /** Bytes read plus bytes written. */
  memoryCopyBytesPerSecond: reported(memory),
  /** Matrix times vector, bytes of the matrix: the access pattern in which decoding reads weights. */
  memoryGemvBytesPerSecond: reported(memory),
  /** Matrix product, inputs INT8, sums INT32: used by kernels for weights of four to eight bits. */
  int8OperationsPerSecond: reported(operations),
  /** Matrix product, inputs FP8 (E4M3), sums FP32. */
  fp8FlopsPerSecond: reported(operations),
});

export const noDeviceFigures = (why: Unknown) => allUnknown(deviceFigures(figure, figure), why);

interface MemoryRates<T> {
  readonly readBytesPerSecond: T;
  readonly copyBytesPerSecond: T;
  readonly gemvBytesPerSecond: T;
}

/** Those of memory, as kernels measure them together, or why they did not. */
export const memoryFigures = <T>(rates: MemoryRates<T> | Unknown) => ({
  memoryReadBytesPerSecond: isUnknown(rates) ? rates : rates.readBytesPerSecond,
  memoryCopyBytesPerSecond: isUnknown(rates) ? rates : rates.copyBytesPerSecond,
  memoryGemvBytesPerSecond: isUnknown(rates) ? rates : rates.gemvBytesPerSecond,
});

export const gpuProfileSchema = openObject({
  /** As in the inventory; "cpu" for the processor of a machine without a GPU. */
  deviceId: text,
  deviceName: text,
  deviceKind: v.picklist(['gpu', 'cpu']),
  /** "cuda", "mlx", "webgpu", "cpu". */
  engine: text,
  ...deviceFigures(figure, figure),
  /** The engine cannot reach the hardware's peak. */
  isLowerBound: v.boolean(),
  method: text,
  /** Age of the figures when this was written, ms: 0, or their age if the newest attempt failed. */
  measuredAgeMs: figure,
  /** The next probe is due this long after this one; unknown if a person requested it. */
  intervalMs: reported(figure),
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  failure,
});

export type GpuProfile = Infer<typeof gpuProfileSchema>;

/** What a probe measures of a device, a GPU or a processor. */
export interface MeasureRow
  extends Pick<FigureRow<GpuProfile>, 'shortLabel' | 'help' | 'metric' | 'mcp' | 'column'> {
  readonly otlp?: PlainInstrument;
  readonly figure: keyof ReturnType<typeof deviceFigures>;
  readonly unit: 'FLOP/s' | 'OP/s' | 'bytes/s';
  /** As `plimsoll probe` lists it. */
  readonly label: string;
  /** As a figure of the whole device, which is compared with its median of the last week. */
  readonly title?: string;
  /** Processors are not measured at it. */
  readonly isOfGpus?: true;
}

/** The two figures that are summed over devices: what they compute, and how fast they read. */
export const FP16_RATE = {
  figure: 'fp16FlopsPerSecond',
  unit: 'FLOP/s',
  label: 'FP16 matrix product',
  title: 'FP16 compute',
  help: 'Measured FP16 matrix multiplication.',
  metric: 'plimsoll_gpu_fp16_flops_per_second',
  otlp: gauge('plimsoll.gpu.compute', 'Measured matrix multiplication.', {
    'plimsoll.number.format': 'fp16',
  }),
  mcp: 'fp16',
  column: { title: 'FP16', widthMax: 14, rank: 3 },
} as const satisfies MeasureRow;
export const BANDWIDTH = {
  figure: 'memoryReadBytesPerSecond',
  unit: 'bytes/s',
  label: 'memory, read',
  title: 'memory bandwidth',
  help: 'Measured streaming read.',
  metric: 'plimsoll_gpu_memory_read_bytes_per_second',
  otlp: gauge('plimsoll.gpu.memory.bandwidth', 'Measured streaming read.'),
  mcp: 'memoryRead',
  column: { title: 'Mem. read', widthMax: 12, rank: 3 },
} as const satisfies MeasureRow;
/** Of devices and engines without FP16. */
export const FP32_RATE = {
  figure: 'fp32FlopsPerSecond',
  unit: 'FLOP/s',
  label: 'FP32 matrix product',
  title: 'FP32 compute',
  help: 'Measured FP32 matrix multiplication.',
} as const satisfies MeasureRow;

export const DEVICE_MEASURES: readonly MeasureRow[] = [
  FP16_RATE,
  FP32_RATE,
  {
    figure: 'fp8FlopsPerSecond',
    unit: 'FLOP/s',
    label: 'FP8 matrix product',
    shortLabel: 'FP8',
    isOfGpus: true,
    help: 'Measured FP8 matrix multiplication.',
    metric: 'plimsoll_gpu_fp8_flops_per_second',
  },
  {
    figure: 'int8OperationsPerSecond',
    unit: 'OP/s',
    label: 'INT8 matrix product',
    shortLabel: 'INT8',
    isOfGpus: true,
    help: 'Measured INT8 matrix multiplication.',
    metric: 'plimsoll_gpu_int8_operations_per_second',
  },
  BANDWIDTH,
  {
    figure: 'memoryCopyBytesPerSecond',
    unit: 'bytes/s',
    label: 'memory, copy',
    title: 'copy bandwidth',
    shortLabel: 'copy',
    help: 'Measured copy.',
    metric: 'plimsoll_gpu_memory_copy_bytes_per_second',
  },
  {
    figure: 'memoryGemvBytesPerSecond',
    unit: 'bytes/s',
    label: 'memory, GEMV',
    shortLabel: 'matrix × vector',
    help: 'Measured matrix times vector, bytes of the matrix.',
    metric: 'plimsoll_gpu_memory_gemv_bytes_per_second',
  },
];
