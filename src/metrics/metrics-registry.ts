// All metrics of a run by name, in the order in which they were registered, which is the order of every view.

import type { Metric, SeriesMetric } from '../core/run/snapshot.ts';
import { CounterSampler } from './counter-sampler.ts';
import type { ErrorBounds } from './error-bounds.ts';
import { type SeriesOptions, SeriesSampler } from './series-sampler.ts';

export class MetricsRegistry {
  readonly #counters = new Map<string, CounterSampler>();
  readonly #series = new Map<string, SeriesSampler>();

  /** @throws Error when the name is taken: two writers of one metric are a programming error. */
  counter(name: string): CounterSampler {
    this.#claim(name);
    const sampler = new CounterSampler(name);
    this.#counters.set(name, sampler);
    return sampler;
  }

  /** @throws Error when the name is taken. */
  series(name: string, options: SeriesOptions): SeriesSampler {
    this.#claim(name);
    const sampler = new SeriesSampler(name, options);
    this.#series.set(name, sampler);
    return sampler;
  }

  live(bounds?: ErrorBounds): readonly Metric[] {
    return this.#metrics(series => series.live(bounds));
  }

  final(failures: number, bounds?: ErrorBounds): readonly Metric[] {
    return this.#metrics(series => series.final(failures, bounds));
  }

  /** How many values a final account would have to sort. */
  get valueCount(): number {
    return this.#series.values().reduce((sum, series) => sum + series.count, 0);
  }

  #claim(name: string): void {
    if (this.#counters.has(name) || this.#series.has(name))
      throw new Error(`metric ${name} is registered twice`);
  }

  #metrics(metricOf: (series: SeriesSampler) => SeriesMetric): readonly Metric[] {
    return [
      ...this.#counters.values().map(counter => counter.metric()),
      ...this.#series.values().map(metricOf),
    ];
  }
}
