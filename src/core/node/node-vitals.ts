// What a node does now in a few numbers: for its row in a table, for the text next to its drawing, and for sorting.

import { maximumOf } from '../extremes.ts';
import type { Reported } from '../unknown.ts';
import { gpusOf } from './memory-use.ts';
import { freshGpuUse, type NodeView } from './node-view.ts';
import { knownValue } from './reading-view.ts';

export type NodeVitals = ReturnType<typeof nodeVitals>;

export const nodeVitals = (view: NodeView) => {
  const system = knownValue(view.system);
  const loads = gpusOf(view).map(({ load }) => load);
  const [whole] = known([system?.systemPowerWatts]);
  const parts = known([system?.cpuPowerWatts, ...loads.map(load => load?.powerWatts)]);
  return {
    /** Of all that report it: their mean use, 0 to 1, and the temperature of the hottest. */
    gpu: { use: gpuUse(view), celsius: highest(loads.map(load => load?.temperatureCelsius)) },
    cpu: { use: highest([system?.cpuUse]), celsius: highest([system?.cpuTemperatureCelsius]) },
    /** Of the machine if it reports that, else the sum of the parts that report their own: never both. */
    watts: whole ?? (parts.length === 0 ? undefined : sumOf(parts)),
  };
};

/** Of the hottest sensor, of processors and GPUs. */
export const hottestCelsius = ({ gpu, cpu }: NodeVitals): number | undefined =>
  highest([gpu.celsius, cpu.celsius]);

/** Mean of the GPUs that report their usage; undefined if none does. */
export const gpuUse = (view: NodeView): number | undefined => mean(gpusOf(view).map(({ load }) => load?.use));

/** The same of those whose load is fresh. */
export const freshUse = (view: NodeView): number | undefined => mean(gpusOf(view).map(freshGpuUse));

const mean = (values: readonly (Reported<number> | undefined)[]): number | undefined => {
  const all = known(values);
  return all.length === 0 ? undefined : sumOf(all) / all.length;
};

const known = (values: readonly (Reported<number> | undefined)[]): readonly number[] =>
  values.filter(value => typeof value === 'number');

const highest = (values: readonly (Reported<number> | undefined)[]): number | undefined => {
  const all = known(values);
  return all.length === 0 ? undefined : maximumOf(all);
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
