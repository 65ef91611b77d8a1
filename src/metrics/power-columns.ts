// What the node of a server drew, in the steps of a run's pictures: the mean of the readings of each step.

import { recordOf } from '../core/record-of.ts';
import { ENERGY_SCOPES } from '../core/run/energy.ts';
import type { PowerColumns, TimeSeries } from '../wire/api/run-answers.ts';
import { decodePowerLines } from '../wire/power-line.ts';
import { startOfFile } from './server-columns.ts';

/** The picture with the power of the node, where there is such a file. */
export const withPowerColumns = async (path: string, series: TimeSeries): Promise<TimeSeries> => {
  const lines = decodePowerLines(await startOfFile(path));
  if (lines.every(({ watts }) => watts.size === 0)) return series;
  const points = series.inFlight.length;
  const power: PowerColumns = recordOf(ENERGY_SCOPES, scope => {
    const sums = new Float64Array(points);
    const counts = new Float64Array(points);
    for (const { seconds, watts } of lines) {
      const point = Math.floor((seconds * 1_000) / series.stepMs);
      const told = watts.get(scope);
      if (told === undefined || point >= points) continue;
      sums[point] = (sums[point] ?? 0) + told;
      counts[point] = (counts[point] ?? 0) + 1;
    }
    // Steps may be shorter than the second of a reading, which stands for the time before it.
    const means = Array.from(sums, (sum, at) => ((counts[at] ?? 0) > 0 ? sum / (counts[at] ?? 1) : null));
    const reach = Math.ceil(1_000 / series.stepMs);
    return means.map((mean, at) => mean ?? means.slice(at, at + reach).find(later => later !== null) ?? null);
  });
  return { ...series, power };
};
