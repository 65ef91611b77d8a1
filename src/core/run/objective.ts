// What a run was asked to reach: `--slo ttft=500ms`. A sample meets an objective when its own figure is at most the limit;
// goodput counts the samples that meet all of them (METRICS §4).

import type { ObjectiveSeriesKey, SeriesKey } from './run-series.ts';
import { RUN_SERIES, SERIES_KEYS, seriesRow } from './run-series.ts';

export type ObjectiveName = (typeof RUN_SERIES)[ObjectiveSeriesKey]['objective'];

export interface Objective {
  readonly name: ObjectiveName;
  readonly limitNs: number;
}

/** The series that the objective bounds. */
export const objectiveSeries = (name: ObjectiveName): ObjectiveSeriesKey => {
  const key = OBJECTIVE_SERIES.find(candidate => RUN_SERIES[candidate].objective === name);
  if (key === undefined) throw new TypeError(`no series has the objective ${name}`);
  return key;
};

export const isObjectiveName = (text: string): text is ObjectiveName =>
  OBJECTIVE_NAMES.some(name => name === text);

const isObjectiveSeries = (key: SeriesKey): key is ObjectiveSeriesKey =>
  seriesRow(key).objective !== undefined;

const OBJECTIVE_SERIES: readonly ObjectiveSeriesKey[] = SERIES_KEYS.filter(isObjectiveSeries);

/** In the order of the table. */
export const OBJECTIVE_NAMES: readonly ObjectiveName[] = OBJECTIVE_SERIES.map(
  key => RUN_SERIES[key].objective,
);
