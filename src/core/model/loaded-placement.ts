// The devices that a run loaded, as a placement of its model: the only device of a node, or of several those
// that were busy while it measured. Missing reports are not guessed: then the run is not judged, with the
// reason.

import { ageMsOf } from '../entry-maps.ts';
import { maximumOf } from '../extremes.ts';
import { counted, figureText, formatBytes, ofCount } from '../figure/figure.ts';
import type { HistorySeries } from '../live-history.ts';
import type { GpuProcess } from '../node/gpu.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { StoredCalibration } from './engine-calibration.ts';
import type { Engine } from './engine-constants.ts';
import { type HeadroomDevice, headroomDevices } from './headroom-devices.ts';
import type { ModelFacts } from './model-facts.ts';
import { canShareLayers } from './model-part.ts';
import { type PlacementPlan, wholePlacement } from './placement.ts';
import { canPartLayers } from './placement-search.ts';
import type { HostEvidence } from './run-causes.ts';

export interface LoadedPlacement {
  readonly placement: PlacementPlan;
  readonly evidence: HostEvidence;
  /** How its devices were determined; '' if the node has only one. */
  readonly note: string;
}

interface LoadedBy {
  readonly model: ModelFacts;
  readonly engine: Engine;
  readonly calibrations: readonly StoredCalibration[];
  readonly offloadedShare: Reported<number>;
  /** Mean use of each device while the run measured. */
  readonly uses: Reported<DeviceUses>;
  readonly nowMs: number;
}

/** By device, 0..1. Missing: not reported by the device. */
export type DeviceUses = { readonly [deviceId: string]: number };

export const loadedPlacement = (
  view: NodeView,
  { model, engine, calibrations, offloadedShare, uses, nowMs }: LoadedBy,
): LoadedPlacement | Unknown => {
  const devices = headroomDevices(view).map(device => ({ ...device, calibrations }));
  const [first] = devices;
  if (first === undefined) return unknown(`${view.name} reports no device`);
  const chosen = devices.length === 1 ? devices : atWork(devices, view.name, uses);
  if (isUnknown(chosen)) return chosen;
  const placement = placementOver(chosen, model, engine);
  if (isUnknown(placement)) return placement;
  return {
    placement,
    evidence: hostEvidence(
      view,
      chosen.map(({ deviceId }) => deviceId),
      { nowMs, offloadedShare },
    ),
    note:
      devices.length === 1
        ? ''
        : `${chosen.length} of the ${counted(devices.length, 'device')} of ${view.name} were at work during the run`,
  };
};

/** From a history that ends now: means over the last seconds. */
export const usesDuring = ({ series }: HistorySeries, seconds: number): DeviceUses => {
  const uses: Record<string, number> = {};
  for (const [name, values] of Object.entries(series)) {
    const deviceId = /^gpu (.+) use$/.exec(name)?.[1];
    const reported = values.slice(-Math.max(1, Math.ceil(seconds))).filter(value => value !== null);
    if (deviceId === undefined || reported.length === 0) continue;
    uses[deviceId] = reported.reduce((sum, value) => sum + value, 0) / reported.length;
  }
  return uses;
};

const atWork = (
  devices: readonly HeadroomDevice[],
  name: string,
  uses: LoadedBy['uses'],
): readonly HeadroomDevice[] | Unknown => {
  const open = `${name} has ${counted(devices.length, 'device')}, and which of them the server uses is not known`;
  if (isUnknown(uses)) return unknown(`${open}: ${uses.reason}`);
  const silent = devices.find(({ deviceId }) => uses[deviceId] === undefined);
  if (silent !== undefined) return unknown(`${open}: the utilization of ${silent.name} is not reported`);
  const most = maximumOf(devices.map(({ deviceId }) => uses[deviceId] ?? 0));
  if (most < AT_WORK_LEAST) return unknown(`${open}: none of them was at work during the run`);
  return devices.filter(({ deviceId }) => (uses[deviceId] ?? 0) >= AT_WORK_SHARE * most);
};

/** llama.cpp gives each device whole layers, assumed evenly; others share each layer. */
const placementOver = (
  devices: readonly HeadroomDevice[],
  model: ModelFacts,
  engine: Engine,
): PlacementPlan | Unknown => {
  if (devices.length === 1) return wholePlacement(model, devices);
  if (canPartLayers({ engine }))
    return canShareLayers(model, devices.length)
      ? wholePlacement(model, devices)
      : unknown(
          `${counted(devices.length, 'device')} ${ofCount(devices.length, 'was', 'were')} at work, and they cannot share the heads of the model's cache evenly: how it is split is not known`,
        );
  const layers = knownOr(model.layers, 0);
  if (layers < devices.length)
    return unknown(
      `${counted(devices.length, 'device')} ${ofCount(devices.length, 'was', 'were')} at work, and how the model's layers are split over them is not known`,
    );
  const least = Math.floor(layers / devices.length);
  return {
    kind: 'pipeline',
    stages: devices.map((device, index) => ({
      devices: [device],
      layers: least + (index < layers % devices.length ? 1 : 0),
    })),
  };
};

/** Share of the time: less is a desktop that draws. */
const AT_WORK_LEAST = 0.05;
/** Share of the busiest one's utilization. */
const AT_WORK_SHARE = 0.25;

// What a node reports of the devices that a run loaded, as far as it explains the run's speed: from its
// newest readings.

/** @param deviceIds those that were loaded; "cpu" for a processor. */
const hostEvidence = (
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
    const text = reported(gpu);
    if (isUnknown(text)) return text;
    if (text === '') return [];
    return [gpus.length === 1 ? text : `GPU ${gpu.device.index}: ${text}`];
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
