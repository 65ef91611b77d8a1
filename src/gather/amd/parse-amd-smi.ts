// `amd-smi static --json` and `amd-smi metric --json`. The list of cards stands under gpu_data in newer releases and at top
// level in older ones; "MB" are 2^20 bytes in both.

import type { GpuLoad } from '../../core/node/gpu.ts';
import type { Reported } from '../../core/unknown.ts';
import { unknown } from '../../core/unknown.ts';
import { pcieGeneration } from '../drm/pcie-link.ts';
import type { AmdToolDevice } from './amd-tool-device.ts';
import type { Json } from './tool-json.ts';
import { at, figure, list, text } from './tool-json.ts';

/** Cards of one document, in amd-smi's order. */
export const parseAmdSmiStatic = (document: Json): readonly AmdToolDevice[] =>
  entries(document).map(entry => ({
    address: text(at(entry, 'bus', 'bdf'))?.toLowerCase(),
    name: text(at(entry, 'asic', 'market_name')) ?? text(at(entry, 'board', 'product_name')),
    architecture: text(at(entry, 'asic', 'target_graphics_version')),
    computeUnits: positive(figure(at(entry, 'asic', 'num_compute_units'))),
    powerLimitWatts: positive(
      figure(at(entry, 'limit', 'socket_power')) ??
        figure(at(entry, 'limit', 'max_power')) ??
        figure(at(entry, 'limit', 'ppt0', 'socket_power_limit')) ??
        figure(at(entry, 'limit', 'ppt0', 'max_power_limit')),
    ),
    memoryTotalBytes: mebibytes(at(entry, 'vram', 'size')),
    computePartition: text(at(entry, 'partition', 'compute_partition')),
    isPartition: (figure(at(entry, 'partition', 'partition_id')) ?? 0) > 0,
  }));

/** What each card does, without the entries for further parts of a card. `deviceIds` are in amd-smi's order. */
export const parseAmdSmiMetric = (document: Json, deviceIds: readonly string[]): readonly GpuLoad[] => {
  const loads: GpuLoad[] = [];
  let partsLeft = 0;
  for (const entry of entries(document)) {
    // The first part of a card tells for all of it and lists the parts; the others follow and repeat its memory.
    if (partsLeft > 0 && saysNothing(entry)) {
      partsLeft -= 1;
      continue;
    }
    partsLeft = partCount(entry) - 1;
    const index = figure(at(entry, 'gpu')) ?? loads.length;
    const load = loadOf(entry, deviceIds[index] ?? `amd-${index}`);
    if (!loads.some(other => other.deviceId === load.deviceId)) loads.push(load);
  }
  return loads;
};

const entries = (document: Json): readonly Json[] => {
  const top = list(document);
  return (top.length > 0 ? top : list(at(document, 'gpu_data'))).slice(0, ENTRIES_MAX);
};

const saysNothing = (entry: Json): boolean =>
  figure(at(entry, 'usage', 'gfx_activity')) === undefined &&
  figure(at(entry, 'power', 'socket_power')) === undefined &&
  figure(at(entry, 'temperature', 'hotspot')) === undefined;

const partCount = (entry: Json): number => {
  const busy = at(entry, 'usage', 'gfx_busy_inst');
  return typeof busy === 'object' && busy !== null ? Object.keys(busy).length : 1;
};

const loadOf = (entry: Json, deviceId: string): GpuLoad => {
  const use = figure(at(entry, 'usage', 'gfx_activity'));
  const temperature = figure(at(entry, 'temperature', 'edge')) ?? figure(at(entry, 'temperature', 'hotspot'));
  return {
    deviceId,
    use: use === undefined || use < 0 || use > 100 ? NOT_TOLD : use / 100,
    memoryUsedBytes: mebibytes(at(entry, 'mem_usage', 'used_vram')) ?? NOT_TOLD,
    temperatureCelsius: temperature ?? NOT_TOLD,
    powerWatts: positive(figure(at(entry, 'power', 'socket_power'))) ?? NOT_TOLD,
    clockMhz: highestClock(entry),
    pcieNow: pcieOf(entry),
    // "THROTTLED" stands there on idle cards too: it is no reason.
    throttleReasons: unknown('amd-smi does not say why'),
  };
};

/** A card has a clock for each of its compute dies; parts that it lacks read N/A. */
const highestClock = (entry: Json): Reported<number> => {
  const clocks = at(entry, 'clock');
  if (typeof clocks !== 'object' || clocks === null) return NOT_TOLD;
  const known = Object.keys(clocks)
    .filter(key => /^gfx_\d+$/.test(key))
    .map(key => figure(at(clocks, key, 'clk')))
    .filter(mhz => mhz !== undefined);
  return known.length === 0 ? NOT_TOLD : Math.max(...known);
};

const pcieOf = (entry: Json): GpuLoad['pcieNow'] => {
  const width = positive(figure(at(entry, 'pcie', 'width')));
  const speed = figure(at(entry, 'pcie', 'speed'));
  const generation = pcieGeneration(`${speed ?? 0} GT/s`);
  return width === undefined || typeof generation !== 'number' ? NOT_TOLD : { generation, width };
};

const mebibytes = (json: Json): number | undefined => {
  const value = positive(figure(json));
  return value === undefined ? undefined : value * 1024 * 1024;
};

/** 0 stands for "no limit" and "not measured". */
const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;

const NOT_TOLD = unknown('amd-smi does not tell');
const ENTRIES_MAX = 512;
