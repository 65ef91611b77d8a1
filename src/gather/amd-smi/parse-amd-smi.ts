// `amd-smi static --json` and `amd-smi metric --json`. The list of cards is under gpu_data in newer releases and at top
// level in older ones; "MB" are 2^20 bytes in both.

import { maximumOf } from '../../core/extremes.ts';
import type { GpuLoad } from '../../core/node/gpu.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { pcieGeneration } from '../drm/pci-bus.ts';
import { looseList } from '../loose-json.ts';
import { type AmdToolDevice, amdFigure, amdText, valueAt } from './tool-json.ts';

/** Cards of one document, in amd-smi's order. */
export const parseAmdSmiStatic = (document: unknown): readonly AmdToolDevice[] =>
  entries(document).map(entry => ({
    address: amdText(valueAt(entry, 'bus', 'bdf'))?.toLowerCase(),
    name: amdText(valueAt(entry, 'asic', 'market_name')) ?? amdText(valueAt(entry, 'board', 'product_name')),
    architecture: amdText(valueAt(entry, 'asic', 'target_graphics_version')),
    computeUnits: amdCount(valueAt(entry, 'asic', 'num_compute_units')),
    powerLimitWatts: positive(
      amdFigure(valueAt(entry, 'limit', 'socket_power')) ??
        amdFigure(valueAt(entry, 'limit', 'max_power')) ??
        amdFigure(valueAt(entry, 'limit', 'ppt0', 'socket_power_limit')) ??
        amdFigure(valueAt(entry, 'limit', 'ppt0', 'max_power_limit')),
    ),
    memoryTotalBytes: mebibytes(valueAt(entry, 'vram', 'size')),
    computePartition: amdText(valueAt(entry, 'partition', 'compute_partition')),
    isPartition: (amdFigure(valueAt(entry, 'partition', 'partition_id')) ?? 0) > 0,
  }));

/** The load of each card, without the entries for further parts of a card. `deviceIds` are in amd-smi's order. */
export const parseAmdSmiMetric = (document: unknown, deviceIds: readonly string[]): readonly GpuLoad[] => {
  const loads: GpuLoad[] = [];
  let partsLeft = 0;
  for (const entry of entries(document)) {
    // The first part of a card reports for all of it and lists the parts; the others follow and repeat its memory.
    if (partsLeft > 0 && isEmptyReport(entry)) {
      partsLeft -= 1;
      continue;
    }
    partsLeft = partCount(entry) - 1;
    const index = amdFigure(valueAt(entry, 'gpu')) ?? loads.length;
    const load = loadOf(entry, deviceIds[index] ?? `amd-${index}`);
    if (!loads.some(other => other.deviceId === load.deviceId)) loads.push(load);
  }
  return loads;
};

const entries = (document: unknown): readonly unknown[] => {
  const top = looseList(document) ?? [];
  return (top.length > 0 ? top : (looseList(valueAt(document, 'gpu_data')) ?? [])).slice(0, ENTRIES_MAX);
};

const isEmptyReport = (entry: unknown): boolean =>
  amdFigure(valueAt(entry, 'usage', 'gfx_activity')) === undefined &&
  amdFigure(valueAt(entry, 'power', 'socket_power')) === undefined &&
  amdFigure(valueAt(entry, 'temperature', 'hotspot')) === undefined;

const partCount = (entry: unknown): number => {
  const busy = valueAt(entry, 'usage', 'gfx_busy_inst');
  return typeof busy === 'object' && busy !== null ? Object.keys(busy).length : 1;
};

const loadOf = (entry: unknown, deviceId: string): GpuLoad => {
  const use = amdFigure(valueAt(entry, 'usage', 'gfx_activity'));
  const temperature =
    amdFigure(valueAt(entry, 'temperature', 'edge')) ?? amdFigure(valueAt(entry, 'temperature', 'hotspot'));
  return {
    deviceId,
    use: use === undefined || use < 0 || use > 100 ? NOT_REPORTED : use / 100,
    memoryUsedBytes: mebibytes(valueAt(entry, 'mem_usage', 'used_vram')) ?? NOT_REPORTED,
    memoryReservedUsedBytes: NOT_REPORTED,
    temperatureCelsius: temperature ?? NOT_REPORTED,
    powerWatts: positive(amdFigure(valueAt(entry, 'power', 'socket_power'))) ?? NOT_REPORTED,
    clockMhz: highestClock(entry),
    pcieNow: pcieOf(entry),
    // Idle cards print "THROTTLED" too: it is not a reason.
    throttleReasons: unknown('amd-smi gives no reason'),
    processes: unknown('this source does not report them'),
  };
};

/** A card has one clock per compute die; missing ones read N/A. */
const highestClock = (entry: unknown): Reported<number> => {
  const clocks = valueAt(entry, 'clock');
  if (typeof clocks !== 'object' || clocks === null) return NOT_REPORTED;
  const known = Object.keys(clocks)
    .filter(key => /^gfx_\d+$/.test(key))
    .map(key => amdFigure(valueAt(clocks, key, 'clk')))
    .filter(mhz => mhz !== undefined);
  return known.length === 0 ? NOT_REPORTED : maximumOf(known);
};

const pcieOf = (entry: unknown): GpuLoad['pcieNow'] => {
  const width = amdCount(valueAt(entry, 'pcie', 'width'));
  const speed = amdFigure(valueAt(entry, 'pcie', 'speed'));
  const generation = pcieGeneration(`${speed ?? 0} GT/s`);
  return width === undefined || typeof generation !== 'number' ? NOT_REPORTED : { generation, width };
};

/** What is counted, 0 for "not known". */
const amdCount = (json: unknown): number | undefined => {
  const value = positive(amdFigure(json));
  return Number.isInteger(value) ? value : undefined;
};

const mebibytes = (json: unknown): number | undefined => {
  const value = positive(amdFigure(json));
  const bytes = value === undefined ? undefined : Math.round(value * 1024 * 1024);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};

/** 0 means "no limit" and "not measured". */
const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;

const NOT_REPORTED = unknown('amd-smi does not report it');
const ENTRIES_MAX = 512;
