// How loaded a node is, as the drawings take it: the level of each of its holds, and the use of its GPUs.

import { maximumOf } from '../../../src/core/extremes.ts';
import {
  gpuMemoryUse,
  gpusOf,
  hostMemoryUse,
  modelMemoryUse,
  ownMemoryGpus,
  usedShare,
} from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import { knownOr, type Reported } from '../../../src/core/unknown.ts';
import type { DrawnLoad } from '../drawing/load.ts';

/** Mean of the GPUs that report their usage; undefined if none does. */
export const gpuUse = (view: NodeView): number | undefined =>
  mean(gpusOf(view).map(gpu => (gpu.load === undefined ? undefined : knownOr(gpu.load.use, undefined))));

/** The same, of the figures that are of now. */
export const currentGpuUse = (view: NodeView): number | undefined =>
  gpusOf(view).some(gpu => gpu.isLoadStale) ? undefined : gpuUse(view);

export const machineLoad = (view: NodeView): DrawnLoad => ({
  level: usedShare(modelMemoryUse(view)),
  hostLevel: usedShare(hostMemoryUse(view)),
  bays: ownMemoryGpus(view).map(gpu => ({
    level: usedShare(gpuMemoryUse(gpu)),
    isMeasured: gpu.probe?.kind === 'running',
  })),
  use: gpuUse(view),
  isMeasured:
    view.cpu.probe?.kind === 'running' ||
    gpusOf(view).some(gpu => gpu.device.memoryIsUnified && gpu.probe?.kind === 'running'),
});

const mean = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
};

// A node's current state as numbers: for the text next to its drawing, and for sorting lists.
interface NodeVitals {
  /** Mean of the GPUs that report it, 0 to 1. */
  readonly gpuUse: number | undefined;
  readonly cpuUse: number | undefined;
  /** Of the hottest GPU; of the processor if no GPU reports it. */
  readonly celsius: number | undefined;
  /** Of the machine if it reports it, else the sum of the parts that report their own. */
  readonly watts: number | undefined;
}

export const nodeVitals = (view: NodeView): NodeVitals => {
  const system = knownValue(view.system);
  const loads = gpusOf(view).map(gpu => gpu.load);
  const heats = known(loads.map(load => load?.temperatureCelsius));
  const hottest = heats.length > 0 ? heats : known([system?.cpuTemperatureCelsius]);
  const whole = known([system?.systemPowerWatts]);
  const powers =
    whole.length > 0 ? whole : known([system?.cpuPowerWatts, ...loads.map(load => load?.powerWatts)]);
  return {
    gpuUse: gpuUse(view),
    cpuUse: known([system?.cpuUse])[0],
    celsius: hottest.length === 0 ? undefined : maximumOf(hottest),
    watts: powers.length === 0 ? undefined : powers.reduce((total, watts) => total + watts, 0),
  };
};

const known = (values: readonly (Reported<number> | undefined)[]): readonly number[] =>
  values.filter(value => typeof value === 'number');
