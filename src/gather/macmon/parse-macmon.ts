// One line of `macmon pipe`, versions 0.5 to 0.8.2, whose names drifted: new names are preferred, old ones still read.
// A zero that means "no sensor" becomes unknown; a field that is missing or mistyped loses only itself.
// Source of the names: github.com/vladkens/macmon, readme and metrics.rs at each release.

import { type Reported, unknown } from '../../core/unknown.ts';
import {
  type LooseRecord,
  looseJson,
  looseList,
  looseNumber,
  looseRecord,
  looseWhole,
} from '../loose-json.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';

export interface MacmonSample {
  readonly memoryTotalBytes: Reported<number>;
  readonly memoryUsedBytes: Reported<number>;
  readonly swapTotalBytes: Reported<number>;
  readonly swapUsedBytes: Reported<number>;
  /** 0..1 */
  readonly cpuUse: Reported<number>;
  readonly efficiencyCores: MacmonProcessor;
  readonly performanceCores: MacmonProcessor;
  readonly gpu: MacmonProcessor;
  readonly cpuTemperatureCelsius: Reported<number>;
  readonly gpuTemperatureCelsius: Reported<number>;
  readonly cpuPowerWatts: Reported<number>;
  readonly gpuPowerWatts: Reported<number>;
  readonly systemPowerWatts: Reported<number>;
}

export interface MacmonProcessor {
  /** 0..1 */
  readonly use: Reported<number>;
  readonly clockMhz: Reported<number>;
}

export const parseMacmonLine = (line: string): ToolAnswer<MacmonSample> => {
  const record = looseRecord(looseJson(line));
  if (record === undefined) return unanswered('macmon printed a line that is not a JSON object');
  if (!KNOWN_KEYS.some(key => key in record)) {
    return unanswered('macmon printed none of the fields that versions 0.5 to 0.8 have');
  }
  const memory = looseRecord(record['memory']) ?? {};
  const temperature = looseRecord(record['temp']) ?? {};
  const gpu = processorIn(record, 'gpu');
  return answered({
    ...memoryIn(memory),
    cpuUse: firstRatio(
      record['cpu_active_ratio'],
      record['cpu_scaled_ratio'],
      record['cpu_usage_ratio'],
      record['cpu_usage_pct'], // 0..1 in spite of its name
    ),
    efficiencyCores: processorIn(record, 'ecpu'),
    performanceCores: processorIn(record, 'pcpu'),
    gpu,
    cpuTemperatureCelsius: positive(temperature['cpu_temp_avg'], NO_SENSOR),
    gpuTemperatureCelsius: positive(temperature['gpu_temp_avg'], NO_SENSOR),
    cpuPowerWatts: positive(record['cpu_power'], NO_SENSOR), // a running processor always draws power
    gpuPowerWatts: gpuPowerIn(record['gpu_power'], gpu.use),
    systemPowerWatts: positive(record['sys_power'], NO_SENSOR),
  });
};

const memoryIn = (
  memory: LooseRecord,
): Pick<MacmonSample, 'memoryTotalBytes' | 'memoryUsedBytes' | 'swapTotalBytes' | 'swapUsedBytes'> => {
  const totalBytes = bytesIn(memory['ram_total'], 1);
  const usedBytes = bytesIn(memory['ram_usage'], 1);
  const isTooMuch = typeof totalBytes === 'number' && typeof usedBytes === 'number' && usedBytes > totalBytes;
  return {
    memoryTotalBytes: totalBytes,
    memoryUsedBytes: isTooMuch ? unknown('macmon reports more memory used than there is') : usedBytes,
    // 0 of 0 is a machine without swap, not a missing figure.
    swapTotalBytes: bytesIn(memory['swap_total'], 0),
    swapUsedBytes: bytesIn(memory['swap_usage'], 0),
  };
};

/**
 * The active ratio is the busy share that other platforms report; scaled (0.8.0: usage) weighs it by the clock and is
 * all that versions before 0.8 have, as [MHz, ratio].
 */
const processorIn = (record: LooseRecord, prefix: 'ecpu' | 'pcpu' | 'gpu'): MacmonProcessor => {
  const pair = looseList(record[`${prefix}_usage`]) ?? [];
  return {
    use: firstRatio(
      record[`${prefix}_active_ratio`],
      record[`${prefix}_scaled_ratio`],
      record[`${prefix}_usage_ratio`],
      pair[1],
    ),
    clockMhz: positive(looseNumber(record[`${prefix}_freq_mhz`]) ?? pair[0], NOT_REPORTED),
  };
};

const gpuPowerIn = (value: unknown, use: Reported<number>): Reported<number> => {
  const watts = notNegative(value);
  return watts === 0 && use !== 0 ? unknown(NO_SENSOR) : watts;
};

const firstRatio = (...candidates: readonly unknown[]): Reported<number> => {
  for (const candidate of candidates) {
    const ratio = strictNumber(candidate);
    if (ratio !== undefined && ratio >= 0 && ratio <= RATIO_MAX) return Math.min(ratio, 1);
  }
  return unknown(NOT_REPORTED);
};

const bytesIn = (value: unknown, least: 0 | 1): Reported<number> => {
  const bytes = typeof value === 'number' ? looseWhole(value) : undefined;
  return bytes !== undefined && bytes >= least ? bytes : unknown(NOT_REPORTED);
};

const positive = (value: unknown, reason: string): Reported<number> => {
  const number = strictNumber(value);
  if (number === undefined) return unknown(NOT_REPORTED);
  return number > 0 ? number : unknown(reason);
};

const notNegative = (value: unknown): Reported<number> => {
  const number = strictNumber(value);
  return number !== undefined && number >= 0 ? number : unknown(NOT_REPORTED);
};

/** macmon prints numbers as numbers; a number in quotes is not from macmon. */
const strictNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? looseNumber(value) : undefined;

const NO_SENSOR = 'macmon finds no sensor';
const NOT_REPORTED = 'macmon does not report it';
/** Samples overlap a little: 1.002 is a full processor, 97 is an undocumented percentage. */
const RATIO_MAX = 1.05;
const KNOWN_KEYS = [
  'memory',
  'temp',
  'cpu_power',
  'gpu_power',
  'sys_power',
  'ecpu_usage',
  'pcpu_usage',
  'gpu_usage',
  'gpu_freq_mhz',
  'pcpu_freq_mhz',
];
