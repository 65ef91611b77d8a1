// A node's current state as numbers: for the text next to its drawing, and for sorting lists.

import { maximumOf } from '../../../src/core/extremes.ts';
import { gpusOf } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import type { Reported } from '../../../src/core/unknown.ts';
import { gpuUse } from './node-load.ts';

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
