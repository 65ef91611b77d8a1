// Which completed samples meet every objective, and each one alone. Failures count as bad in the report, where they are
// part of the samples; here they are simply not counted.

import { NO_FIGURE } from '../core/run/event-record.ts';
import { type ObjectiveFigures, objectiveSeries, type RequestLimit } from '../core/run/objective.ts';
import type { ObjectiveCounterKey } from '../core/run/run-counters.ts';
import type { ObjectiveSeriesKey } from '../core/run/run-series.ts';
import type { CounterSampler } from './counter-sampler.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

export class Goodput {
  readonly #objectives: readonly {
    readonly figure: ObjectiveSeriesKey;
    readonly limitNs: number;
    readonly met: CounterSampler;
    readonly unknown: CounterSampler;
  }[];
  readonly #good: { readonly samples: CounterSampler; readonly outputTokens: CounterSampler } | undefined;

  constructor(objectives: readonly RequestLimit[], registry: MetricsRegistry) {
    const counter = (key: ObjectiveCounterKey): CounterSampler => registry.counter(key);
    this.#objectives = objectives.map(({ name, limitNs }) => ({
      figure: objectiveSeries(name),
      limitNs,
      met: counter(`objective.${name}.met`),
      unknown: counter(`objective.${name}.unknown`),
    }));
    this.#good =
      objectives.length === 0
        ? undefined
        : { samples: counter('goodSamples'), outputTokens: counter('goodOutputTokens') };
  }

  completed(figures: ObjectiveFigures): void {
    let isGood = true;
    for (const { figure, limitNs, met, unknown } of this.#objectives) {
      const isMet = meetsLimit(figures, figure, limitNs);
      if (isMet) met.add();
      else isGood = false;
      if (!isMet && (figures[figure] ?? NO_FIGURE) === NO_FIGURE) unknown.add();
    }
    if (!isGood) return;
    this.#good?.samples.add();
    if (figures.outputTokens !== NO_FIGURE) this.#good?.outputTokens.add(figures.outputTokens);
  }

  /** A completed sample without any figure. */
  unknown(): void {
    for (const { unknown } of this.#objectives) unknown.add();
  }
}

/** An answer of one token has no time per further token: it cannot miss that objective. */
export const meetsLimit = (
  figures: ObjectiveFigures,
  figure: ObjectiveSeriesKey,
  limitNs: number,
): boolean => {
  const value = figures[figure] ?? NO_FIGURE;
  return value === NO_FIGURE ? figure === 'tpotNs' && isShort(figures) : value <= limitNs;
};

const isShort = ({ outputTokens }: ObjectiveFigures): boolean => outputTokens === 0 || outputTokens === 1;
