// What the node of a server drew, in the steps of a run's pictures: the mean of the readings of each step.

import { recordOf } from '../core/record-of.ts';
import { ENERGY_SCOPES } from '../core/run/energy.ts';
import { powerColumn } from '../core/run/live-energy.ts';
import type { PowerColumns, TimeSeries } from '../wire/api/run-answers.ts';
import { decodePowerLines } from '../wire/power-line.ts';
import { startOfFile } from './server-columns.ts';

/** The picture with the power of the node, where there is such a file. */
export const withPowerColumns = async (path: string, series: TimeSeries): Promise<TimeSeries> => {
  const lines = decodePowerLines(await startOfFile(path));
  if (lines.every(({ watts }) => watts.size === 0)) return series;
  const steps = { points: series.inFlight.length, stepMs: series.stepMs };
  const power: PowerColumns = recordOf(ENERGY_SCOPES, scope => powerColumn(lines, scope, steps));
  return { ...series, power };
};
