// One GPU in a row: what is wrong with it first, then what it does.

import { formatAge } from '../core/figure/duration.ts';
import {
  counted,
  figureText,
  formatBytesOf,
  formatCapacityBytes,
  formatCount,
} from '../core/figure/figure.ts';
import { FIGURE_UNITS } from '../core/figure/figure-row.ts';
import { type FailedGpu, failedGpuText } from '../core/node/failed-gpu.ts';
import { type GpuError, xidMeaning, xidText } from '../core/node/gpu-errors.ts';
import { GPU_LOAD_FIGURES } from '../core/node/gpu-figures.ts';
import { type GpuHealth, type HealthFinding, linksUp } from '../core/node/gpu-health.ts';
import type { GpuView } from '../core/node/node-view.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../core/unknown.ts';
import { figureFact, type Line, named, part, unknownFact } from './part.ts';

export const gpuFacts = (gpu: GpuView): readonly Line[] => {
  const { device, load, health, findings } = gpu;
  const name: Line = [part(device.name, 'strong')];
  const total = device.memoryTotalBytes;
  const used = load?.memoryUsedBytes;
  const memory = (): readonly Line[] => {
    if (isUnknown(total))
      return device.memoryIsUnified ? [[part('unified memory')]] : [named('memory', unknownFact(total))];
    const reserved = knownOr(device.memoryReservedBytes ?? 0, 0);
    const setAside =
      reserved > 0 ? [named('set aside by firmware', [part(figureText(formatCapacityBytes(reserved)))])] : [];
    if (used === undefined || isUnknown(used))
      return [[part(figureText(formatCapacityBytes(total)))], ...setAside];
    return [named('memory', [part(figureText(formatBytesOf(used, total)))]), ...setAside];
  };
  const errors = [...findings.map(findingFact), ...(health === undefined ? [] : healthFacts(health))];
  if (load === undefined) return [name, ...errors, ...memory(), [part('load: measuring', 'dim')]];
  return [
    name,
    ...errors,
    ...memory(),
    ...LOAD_ROWS.map(({ label = '', of, unit }) =>
      named(label.toLowerCase(), figureFact(of({ gpu }), FIGURE_UNITS[unit].format)),
    ),
    ...(load.processes !== undefined && isKnown(load.processes)
      ? [[part(counted(load.processes.length, 'process', 'processes'))]]
      : []),
    ...(isKnown(load.throttleReasons) && load.throttleReasons.length > 0
      ? [[part(`throttled: ${load.throttleReasons.join(', ')}`, 'caution')]]
      : []),
  ];
};

/** Those that a table has a column for, too. */
const LOAD_ROWS = GPU_LOAD_FIGURES.filter(({ label, column }) => label !== undefined && column !== undefined);

/** Of what it counts only what is not 0. */
const healthFacts = (health: GpuHealth): readonly Line[] => [
  ...countRow('corrected memory errors', health.eccVolatile.corrected),
  ...countRow('uncorrected ever', health.eccAggregate.uncorrected),
  ...countRow('retired pages', health.repair.retiredPages),
  ...countRow(
    'remapped rows',
    knownOr(health.repair.rowsAfterCorrected, 0) + knownOr(health.repair.rowsAfterUncorrected, 0),
  ),
  ...countRow('PCIe replays', health.pcieReplays),
  ...(isKnown(health.links)
    ? [named('links', [part(`${linksUp(health)} of ${health.links.length} up`)])]
    : []),
];

/** "is lost", why, and where it is. */
export const failedFacts = (gpu: FailedGpu): readonly Line[] => [
  [part(gpu.name, 'strong')],
  [part(`${failedGpuText(gpu)}: ${gpu.reason}`, 'bad')],
  ...(isKnown(gpu.pciAddress) ? [[part(gpu.pciAddress)]] : []),
];

export const findingFact = ({ what, level }: HealthFinding): Line => [
  part(what, level === 'danger' ? 'bad' : 'caution'),
];

/** @param ageMs of the reading that has it */
export const xidFacts = (
  { address, count, newestAgeMs, ...error }: GpuError,
  ageMs: number,
): readonly Line[] => {
  const { level } = xidMeaning(error);
  return [
    [part(xidText(error), level === 'danger' ? 'bad' : level === 'caution' ? 'caution' : 'plain')],
    [part(address)],
    [part(count === 1 ? 'once' : `${formatCount(count)} times`)],
    named('newest', [part(`${figureText(formatAge(newestAgeMs + ageMs))} ago`)]),
  ];
};

const countRow = (name: string, count: Reported<number>): readonly Line[] => {
  const known = knownOr(count, 0);
  return known === 0 ? [] : [named(name, [part(formatCount(known))])];
};
