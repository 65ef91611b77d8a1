// What a node reports of the devices that a run loaded, as far as it explains the run's speed: from its
// newest readings.

import { ageMsOf } from '../entry-maps.ts';
import { maximumOf } from '../extremes.ts';
import { figureText, formatBytes } from '../figure/figure.ts';
import type { GpuProcess } from '../node/gpu.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import type { HostEvidence } from './run-causes.ts';

/** @param deviceIds those that were loaded; "cpu" for a processor. */
export const hostEvidence = (
  view: NodeView,
  deviceIds: readonly string[],
  { nowMs, offloadedShare }: { readonly nowMs: number; readonly offloadedShare: Reported<number> },
): HostEvidence => {
  const gpus = view.gpus
    .flatMap(({ devices }) => devices)
    .filter(({ device }) => deviceIds.includes(device.deviceId));
  const profiles =
    gpus.length === 0 ? [view.cpu.profile ?? []].flat() : gpus.flatMap(({ profile }) => profile ?? []);
  const ages = profiles.map(profile => ageMsOf(profile, nowMs) + profile.value.measuredAgeMs);
  return {
    throttleReasons: together(gpus, gpu => gpu.load?.throttleReasons ?? NOT_READ),
    offloadedShare,
    pcieShortfall: sentence(gpus, pcieShortfall),
    otherProcesses: sentence(gpus, ({ load }) => otherProcesses(load?.processes ?? NOT_READ)),
    probeAgeMs: ages.length === 0 ? unknown('not measured') : maximumOf(ages),
    isProbeLowerBound:
      profiles.length === 0 ? unknown('not measured') : profiles.some(({ value }) => value.isLowerBound),
  };
};

/** Joins what they report; unknown if one reports nothing and the others have no finding. */
const together = (
  gpus: readonly GpuView[],
  reported: (gpu: GpuView) => Reported<readonly string[]>,
): Reported<readonly string[]> => {
  const all = gpus.map(reported);
  if (all.length === 0) return NO_GPU;
  const found = [...new Set(all.flatMap(each => knownOr(each, [])))];
  return found.length > 0 ? found : (all.find(isUnknown) ?? found);
};

/** '' if none has a finding. */
const sentence = (
  gpus: readonly GpuView[],
  reported: (gpu: GpuView) => Reported<string>,
): Reported<string> => {
  const all = together(gpus, gpu => {
    const words = reported(gpu);
    if (isUnknown(words)) return words;
    if (words === '') return [];
    return [gpus.length === 1 ? words : `GPU ${gpu.device.index}: ${words}`];
  });
  return isUnknown(all) ? all : all.join('; ');
};

/** '' if it has all lanes at their generation. */
const pcieShortfall = ({ device: { pcieMax }, load }: GpuView): Reported<string> => {
  const now = load?.pcieNow ?? NOT_READ;
  if (isUnknown(now)) return now;
  if (isUnknown(pcieMax)) return pcieMax;
  if (now.width >= pcieMax.width) return '';
  return `x${now.width} of x${pcieMax.width}`;
};

/**
 * Which other processes use a large part of the device's memory. The one with the most memory is assumed to
 * be the server: with a model loaded, it is. '' if there are none, or only small ones, such as a desktop.
 */
const otherProcesses = (reported: Reported<readonly GpuProcess[]>): Reported<string> => {
  if (isUnknown(reported)) return reported;
  const [, ...others] = reported.toSorted((a, b) => knownOr(b.memoryBytes, 0) - knownOr(a.memoryBytes, 0));
  const grave = others.filter(({ memoryBytes }) => knownOr(memoryBytes, SMALL_BYTES) >= SMALL_BYTES);
  if (grave.length === 0) return '';
  const named = grave.slice(0, NAMES_SHOWN).map(processText).join(', ');
  return `next to the server, ${named}${grave.length > NAMES_SHOWN ? ` and ${grave.length - NAMES_SHOWN} more` : ''}`;
};

const processText = ({ name, pid, memoryBytes }: GpuProcess): string =>
  `${knownOr(name, 'a process')} (${pid}${isUnknown(memoryBytes) ? '' : `, ${figureText(formatBytes(memoryBytes))}`})`;

const NO_GPU = unknown('it runs on the processor');
const NOT_READ = unknown('the load of the device is not reported');
/** A desktop or a monitor of the device uses less. */
const SMALL_BYTES = 512 * 1024 ** 2;
const NAMES_SHOWN = 4;
