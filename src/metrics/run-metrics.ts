// Every counter and series of a run by METRICS §3 and §6, and the one place that counts an issued and an ended sample.
// The aggregator feeds it from event records, a rebuilt report from the lines of samples.jsonl.

import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { Objective } from '../core/run/objective.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import type { RunPattern } from '../core/run/report.ts';
import type { Metric } from '../core/run/snapshot.ts';
import { ClientMetrics } from './client-metrics.ts';
import type { CounterSampler } from './counter-sampler.ts';
import { Goodput } from './goodput.ts';
import { MetricsRegistry } from './metrics-registry.ts';
import type { RunCounters } from './run-counters.ts';
import { runCounters } from './run-counters.ts';
import type { FigureName, RunSeries } from './run-series.ts';
import { FIGURE_NAMES, runSeries } from './run-series.ts';
import { figuresOf } from './sample-figures.ts';
import type { SeriesOptions, SeriesSampler } from './series-sampler.ts';
import { SteadyState } from './steady-state.ts';
import { TrackingWindows } from './tracking-windows.ts';

export interface RunMetricsOptions {
  readonly pattern: RunPattern;
  readonly isStreaming: boolean;
  readonly objectives: readonly Objective[];
  /** Raw values kept of each series; default RAW_VALUES_MAX. */
  readonly rawValuesMax?: number;
}

export interface IssuedSample {
  readonly window: number;
  readonly intendedNs: number;
  readonly sentNs: number;
}

export class RunMetrics {
  readonly counters: RunCounters;
  readonly client: ClientMetrics;
  readonly #registry = new MetricsRegistry();
  readonly #errors: Readonly<Record<string, CounterSampler>>;
  readonly #finishReasons: Readonly<Record<string, CounterSampler>>;
  readonly #series: RunSeries;
  readonly #figureSeries: readonly (readonly [FigureName, SeriesSampler])[];
  readonly #windows: TrackingWindows;
  readonly #steadyState: SteadyState;
  readonly #goodput: Goodput;
  readonly #isStreaming: boolean;

  constructor({ pattern, isStreaming, objectives, rawValuesMax }: RunMetricsOptions) {
    const registry = this.#registry;
    const counter = (name: string): CounterSampler => registry.counter(name);
    const series = (name: string, options: SeriesOptions): SeriesSampler =>
      registry.series(name, rawValuesMax === undefined ? options : { ...options, rawValuesMax });
    this.#isStreaming = isStreaming;
    this.counters = runCounters(counter);
    this.#errors = Object.fromEntries(FAILURE_KINDS.map(kind => [kind, counter(`errors.${kind}`)]));
    this.#finishReasons = Object.fromEntries(
      FINISH_REASONS.map(reason => [reason, counter(`finishReason.${reason}`)]),
    );
    this.#windows = new TrackingWindows(counter('windowNs'));
    this.#steadyState = new SteadyState(pattern, counter);
    this.#goodput = new Goodput(objectives, counter);
    this.#series = runSeries({ pattern, isStreaming }, series);
    this.#figureSeries = FIGURE_NAMES.flatMap(name => {
      const sampler = this.#series[name];
      return sampler === undefined ? [] : [[name, sampler] as const];
    });
    this.client = new ClientMetrics(counter, series);
  }

  issued({ window, intendedNs, sentNs }: IssuedSample): void {
    this.counters.samplesIssued.add();
    if (window < 0) return;
    this.counters.trackedSamplesIssued.add();
    this.#windows.sent(window, sentNs);
    this.#steadyState.sent(sentNs);
    // A request that went out early was not late; it is counted, since pacing should never do that.
    if (sentNs < intendedNs) this.counters.samplesSentEarly.add();
    this.#series.sendLatenessNs?.record(Math.max(0, sentNs - intendedNs));
  }

  ended(sample: EndedSample): void {
    const isTracked = sample.window >= 0;
    const counters = this.counters;
    switch (sample.outcome) {
      case 'completed':
        counters.samplesCompleted.add();
        if (isTracked) this.#completed(sample);
        break;
      case 'failed':
        counters.samplesFailed.add();
        if (isTracked) {
          counters.trackedSamplesFailed.add();
          this.#errors[sample.failure?.kind ?? 'client']?.add();
        }
        break;
      case 'cancelled':
        counters.samplesCancelled.add();
        if (isTracked) counters.trackedSamplesCancelled.add();
        break;
      default:
        sample.outcome satisfies never;
    }
    if (!isTracked) return;
    counters.bytesSent.add(sample.bytesSent);
    counters.bytesReceived.add(sample.bytesReceived);
    this.#steadyState.ended(sample);
  }

  live(): readonly Metric[] {
    return this.#registry.live();
  }

  /** Exact; sorts every raw value. */
  final(): readonly Metric[] {
    this.#steadyState.settle();
    return this.#registry.final(this.counters.trackedSamplesFailed.value);
  }

  /** For an account that has no time to sort: everything but exact percentiles. */
  hasty(): readonly Metric[] {
    this.#steadyState.settle();
    return this.#registry.live();
  }

  get valueCount(): number {
    return this.#registry.valueCount;
  }

  #completed(sample: EndedSample): void {
    this.counters.trackedSamplesCompleted.add();
    this.#finishReasons[sample.finishReason]?.add();
    this.#windows.completed(sample.window, sample.endNs);
    if (sample.inputTokens === NO_FIGURE || sample.outputTokens === NO_FIGURE)
      this.counters.usageMissing.add();
    const figures = figuresOf(sample, this.#isStreaming);
    if (figures === undefined) {
      this.counters.samplesInconsistent.add();
      this.#goodput.unknown();
      return;
    }
    for (const [name, sampler] of this.#figureSeries) {
      const figure = figures[name];
      if (figure !== NO_FIGURE) sampler.record(figure);
    }
    const gaps = this.#series.chunkGapNs;
    if (gaps !== undefined) for (const gap of sample.chunkGapsNs) gaps.record(gap);
    this.#goodput.completed(figures);
  }
}
