// The samplers of a run, one for each row of its tables, created once: no lookup is needed while samples are counted.

import { recordOf } from '../core/record-of.ts';
import { hasSeries } from '../core/run/has-series.ts';
import { COUNTER_KEYS, type CounterKey } from '../core/run/run-counters.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import {
  isSampleSeries,
  type SampleSeriesKey,
  SERIES_KEYS,
  type SeriesKey,
  seriesRow,
} from '../core/run/run-series.ts';
import type { RunShape } from '../core/run/run-shape.ts';
import type { BlockStore } from '../core/statistics/raw-values.ts';
import type { CounterSampler } from './counter-sampler.ts';
import type { MetricsRegistry } from './metrics-registry.ts';
import type { SeriesSampler } from './series-sampler.ts';

export type CounterSamplers = Readonly<Record<CounterKey, CounterSampler>>;
/** Without those that cannot have a value in the run. */
export type SeriesSamplers = Readonly<Partial<Record<SeriesKey, SeriesSampler>>>;

interface SeriesSamplerOptions {
  readonly pattern: RunPattern;
  readonly shape?: RunShape;
  readonly isStreaming: boolean;
  /** Raw values kept of each; default RAW_VALUES_MAX. */
  readonly rawValuesMax?: number;
  /** Where full blocks of them go; default this process's memory. */
  readonly store?: BlockStore;
  /** Each contains its histogram, which a coordinator can add. */
  readonly hasCells?: boolean;
}

export const counterSamplers = (registry: MetricsRegistry): CounterSamplers =>
  recordOf(COUNTER_KEYS, key => registry.counter(key));

export const seriesSamplers = (
  registry: MetricsRegistry,
  { rawValuesMax, store, hasCells = false, ...run }: SeriesSamplerOptions,
): SeriesSamplers => {
  const made: Partial<Record<SeriesKey, SeriesSampler>> = {};
  for (const key of SERIES_KEYS) {
    if (!hasSeries(key, run)) continue;
    const { unit, countsFailures = false } = seriesRow(key);
    made[key] = registry.series(key, {
      unit,
      isFailureAdjusted: countsFailures,
      hasCells,
      store,
      ...(rawValuesMax === undefined ? {} : { rawValuesMax }),
    });
  }
  return made;
};

/** Those of the figures that a completed sample has one of. */
export const sampleSeriesSamplers = (
  samplers: SeriesSamplers,
): readonly (readonly [SampleSeriesKey, SeriesSampler])[] =>
  SERIES_KEYS.filter(isSampleSeries).flatMap(key => {
    const sampler = samplers[key];
    return sampler === undefined ? [] : [[key, sampler] as const];
  });
