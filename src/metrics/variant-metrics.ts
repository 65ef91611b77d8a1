// Results for each model of a mix: counts, and the series by which people compare models. Unused in a run with one
// model.

import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import { MIXED_MODELS_MAX, type VariantFigures, type VariantPercentiles } from '../core/run/model-mix.ts';
import { type FailureKind, failureCounts } from '../core/run/outcome.ts';
import type { SampleFigures } from './sample-figures.ts';
import { SeriesSampler } from './series-sampler.ts';

export class VariantMetrics {
  readonly #totals = new Map<number, VariantTotals>();

  /** @param figures of a completed one whose stamps agree */
  ended(
    { note, outcome, failure, inputTokens, outputTokens }: EndedSample,
    figures: SampleFigures | undefined,
  ): void {
    const variant = note?.variant ?? NO_FIGURE;
    if (variant < 0 || variant >= MIXED_MODELS_MAX) return;
    const totals = this.#totals.get(variant) ?? new VariantTotals();
    this.#totals.set(variant, totals);
    totals[outcome] += 1;
    if (failure !== undefined) totals.errors[failure.kind] = (totals.errors[failure.kind] ?? 0) + 1;
    if (outcome === 'completed' && (inputTokens === NO_FIGURE || outputTokens === NO_FIGURE))
      totals.usageMissing += 1;
    if (figures === undefined) return;
    totals.inputTokens += Math.max(0, figures.inputTokens);
    totals.outputTokens += Math.max(0, figures.outputTokens);
    for (const key of SERIES) if (figures[key] !== NO_FIGURE) totals.series[key].record(figures[key]);
  }

  /** In the order of the mix; undefined without one. */
  figures(): readonly VariantFigures[] | undefined {
    if (this.#totals.size === 0) return undefined;
    return [...this.#totals.entries()]
      .toSorted(([a], [b]) => a - b)
      .map(
        ([
          variant,
          { completed, failed, cancelled, inputTokens, outputTokens, series, errors, ...reported },
        ]) => ({
          variant,
          completed,
          failed,
          cancelled,
          outputTokens,
          ttftNs: percentilesOf(series.ttftNs),
          tpotNs: percentilesOf(series.tpotNs),
          latencyNs: percentilesOf(series.latencyNs),
          ...failureCounts(kind => errors[kind] ?? 0),
          ...reported,
          inputTokens,
        }),
      );
  }
}

class VariantTotals {
  completed = 0;
  failed = 0;
  cancelled = 0;
  inputTokens = 0;
  outputTokens = 0;
  usageMissing = 0;
  readonly errors: Partial<Record<FailureKind, number>> = {};
  readonly series: Readonly<Record<(typeof SERIES)[number], SeriesSampler>> = {
    ttftNs: sampler('ttftNs'),
    tpotNs: sampler('tpotNs'),
    latencyNs: sampler('latencyNs'),
  };
}

/** From its histogram, to 0.1%: a run may have many models. */
const sampler = (name: string): SeriesSampler => new SeriesSampler(name, { unit: 'ns', rawValuesMax: 1 });

const percentilesOf = (series: SeriesSampler): VariantPercentiles | null => {
  if (series.count === 0) return null;
  const { total, count, percentiles } = series.live();
  const at = (name: string): number => percentiles[name] ?? 0;
  return { mean: Number(total) / count, p50: at('50'), p90: at('90'), p99: at('99') };
};

const SERIES = ['ttftNs', 'tpotNs', 'latencyNs'] as const;
