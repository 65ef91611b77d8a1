// The power of a server's node in the steps of a run's charts: the mean of the readings in each step.

import { recordOf } from '../core/record-of.ts';
import { ENERGY_SCOPES } from '../core/run/energy.ts';
import { powerColumn } from '../core/run/live-energy.ts';
import type { PowerColumns, TimeSeries } from '../wire/api/run-answers.ts';
import { decodePowerLines } from '../wire/power-line.ts';
import { startOfFile } from './server-columns.ts';

/** Adds the power of the node, if there is such a file. */
export const withPowerColumns = async (path: string, series: TimeSeries): Promise<TimeSeries> => {
  const lines = decodePowerLines(await startOfFile(path));
  if (lines.every(({ watts }) => watts.size === 0)) return series;
  const steps = { points: series.inFlight.length, stepMs: series.stepMs };
  const power: PowerColumns = recordOf(ENERGY_SCOPES, scope => powerColumn(lines, scope, steps));
  return { ...series, power };
};
