// Every counter and series of a run by METRICS §3 and §6, and the one place that counts an issued and an ended
// sample. The aggregator feeds it from event records, a rebuilt report from the lines of samples.jsonl.

import { recordOf } from '../core/record-of.ts';
import { ContaminationTally } from '../core/run/contamination-tally.ts';
import { choiceCount, type EndedSample, gapsByChoice, sendLatenessNs } from '../core/run/ended-sample.ts';
import { type HostRecord, NO_FIGURE } from '../core/run/event-record.ts';
import { FailureTally } from '../core/run/failure-groups.ts';
import { FinishNameTally } from '../core/run/finish-name-tally.ts';
import type { ObjectiveAnswer } from '../core/run/judge-objective.ts';
import { LiveSessionTally } from '../core/run/live-sessions.ts';
import type { JudgedObjective, RequestLimit } from '../core/run/objective.ts';
import { ObjectiveTallies } from '../core/run/objective-tallies.ts';
import { OutageTally } from '../core/run/outage.ts';
import { FAILURE_KINDS, type FailureKind, FINISH_REASONS, type FinishReason } from '../core/run/outcome.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import type { SampleSeriesKey } from '../core/run/run-series.ts';
import { isOfSessions, type RunShape } from '../core/run/run-shape.ts';
import { ServerTally } from '../core/run/server-tally.ts';
import type { FollowedSession, SessionEnd } from '../core/run/session-follower.ts';
import type { SampleTurn, SkippedTurn } from '../core/run/session-outcome.ts';
import type { Metric, MetricsSnapshot } from '../core/run/snapshot.ts';
import { UnsuccessfulEndTally } from '../core/run/unsuccessful-end.ts';
import type { BlockStore } from '../core/statistics/raw-values.ts';
import { ClientMetrics } from './client-metrics.ts';
import type { CounterSampler } from './counter-sampler.ts';
import { ErrorBounds } from './error-bounds.ts';
import { Goodput } from './goodput.ts';
import { MetricsRegistry } from './metrics-registry.ts';
import {
  type CounterSamplers,
  counterSamplers,
  type SeriesSamplers,
  sampleSeriesSamplers,
  seriesSamplers,
} from './run-samplers.ts';
import { type SampleFigures, sampleFigures } from './sample-figures.ts';
import type { SeriesSampler } from './series-sampler.ts';
import { SteadyState } from './steady-state.ts';
import { VariantMetrics } from './variant-metrics.ts';

export interface RunMetricsOptions {
  readonly pattern: RunPattern;
  /** Default: a plain one. */
  readonly shape?: RunShape;
  readonly isStreaming: boolean;
  readonly objectives: readonly RequestLimit[];
  /** Those and the ones of the run, as they are judged. */
  readonly judged?: readonly JudgedObjective[];
  /** Raw values kept of each series; default RAW_VALUES_MAX. */
  readonly rawValuesMax?: number;
  /** Where full blocks of raw values go; default this process's memory. */
  readonly store?: BlockStore;
  /** For an agent, whose coordinator adds the counts of several. */
  readonly hasCells?: boolean;
}

type IssuedSample = Pick<EndedSample, 'window' | 'intendedNs' | 'sentNs' | 'heldBackNs'>;

export class RunMetrics {
  readonly counters: CounterSamplers;
  readonly client: ClientMetrics;
  readonly bounds: ErrorBounds;
  readonly server: ServerTally = new ServerTally();
  readonly #registry = new MetricsRegistry();
  readonly #errors: Readonly<Record<FailureKind, CounterSampler>>;
  readonly #finishReasons: Readonly<Record<FinishReason, CounterSampler>>;
  readonly #series: SeriesSamplers;
  readonly #sampleSeries: readonly (readonly [SampleSeriesKey, SeriesSampler])[];
  readonly #windows: TrackingWindows;
  readonly #steadyState: SteadyState;
  readonly #goodput: Goodput;
  readonly #tallies: ObjectiveTallies;
  readonly #contamination: ContaminationTally;
  readonly #variants = new VariantMetrics();
  readonly #failures = new FailureTally();
  readonly #outages = new OutageTally();
  readonly #unsuccessfulEnd = new UnsuccessfulEndTally();
  readonly #finishNames = new FinishNameTally();
  readonly #sessions: LiveSessionTally | undefined;
  readonly #isStreaming: boolean;
  readonly #hasCells: boolean;

  constructor({ objectives, judged = [], ...run }: RunMetricsOptions) {
    this.#isStreaming = run.isStreaming;
    this.#hasCells = run.hasCells ?? false;
    this.#sessions =
      run.shape !== undefined && isOfSessions(run.shape)
        ? new LiveSessionTally((session, end) => this.#sessionOver(session, end))
        : undefined;
    this.#contamination = new ContaminationTally(run);
    this.counters = counterSamplers(this.#registry);
    this.#errors = recordOf(FAILURE_KINDS, kind => this.counters[`errors.${kind}`]);
    this.#finishReasons = recordOf(FINISH_REASONS, reason => this.counters[`finishReason.${reason}`]);
    this.#goodput = new Goodput(objectives, this.#registry);
    this.#tallies = new ObjectiveTallies(judged);
    this.#series = seriesSamplers(this.#registry, run);
    this.#sampleSeries = sampleSeriesSamplers(this.#series);
    this.#windows = new TrackingWindows(this.counters.windowNs);
    this.#steadyState = new SteadyState(run, this.counters);
    this.bounds = new ErrorBounds(run);
    this.client = new ClientMetrics(this.counters, this.#series);
  }

  issued(sample: IssuedSample): void {
    const { window, intendedNs, sentNs, heldBackNs } = sample;
    this.counters.samplesIssued.add();
    if (window < 0) return;
    this.counters.trackedSamplesIssued.add();
    this.bounds.issued(window, sentNs);
    this.#windows.sent(window, sentNs);
    this.#steadyState.sent(sentNs);
    // A request that went out early was not late; it is counted, since pacing should never do that.
    if (sentNs < intendedNs) this.counters.samplesSentEarly.add();
    this.#series.sendLatenessNs?.record(sendLatenessNs(sample));
    this.#series.heldBackNs?.record(heldBackNs);
  }

  placed(position: SampleTurn, window: number): void {
    if (window >= 0) this.#sessions?.issued(position);
  }

  /** The reason and the turn are not reported by every version. */
  skipped({
    window,
    ...reported
  }: Pick<SkippedTurn, 'window'> & (Omit<SkippedTurn, 'sampleId' | 'window'> | object)): void {
    this.counters.samplesSkipped.add();
    if (window < 0) return;
    this.counters.trackedSamplesSkipped.add();
    if ('reason' in reported) this.#sessions?.skipped(reported);
  }

  ended(sample: EndedSample): void {
    const isTracked = sample.window >= 0;
    const counters = this.counters;
    this.#outages.ended(sample);
    if (isTracked) this.#unsuccessfulEnd.ended(sample);
    if (sample.failure !== undefined)
      this.#failures.add({ ...sample.failure, endNs: sample.endNs, isWarmup: !isTracked });
    switch (sample.outcome) {
      case 'completed':
        counters.samplesCompleted.add();
        if (isTracked) this.#completed(sample);
        break;
      case 'failed':
        counters.samplesFailed.add();
        if (isTracked) {
          counters.trackedSamplesFailed.add();
          this.#judged(sample, undefined);
          this.#errors[sample.failure?.kind ?? 'client'].add();
        }
        break;
      case 'cancelled':
        counters.samplesCancelled.add();
        if (isTracked) {
          counters.trackedSamplesCancelled.add();
          // A cancellation on purpose is no evidence about the server.
          if (sample.note?.isCancelledAsPlanned === true) counters.cancelledAsPlanned.add();
          else {
            if (sample.note?.isCutAfterGrace === true) counters.cancelledAfterGrace.add();
            this.#judged(sample, undefined);
          }
        }
        break;
      default:
        sample.outcome satisfies never;
    }
    if (!isTracked) return;
    this.#sessions?.ended(sample);
    if (sample.outcome !== 'completed') this.#variants.ended(sample, undefined);
    counters.bytesSent.add(sample.bytesSent);
    counters.bytesReceived.add(sample.bytesReceived);
    this.#steadyState.ended(sample);
    this.#contamination.ended(sample);
  }

  host(record: HostRecord, isTracking: boolean): void {
    this.client.host(record, isTracking);
    const { counters } = this;
    this.bounds.throttled(counters['client.throttledNs'].value, counters['client.throttleObservedNs'].value);
  }

  live(): readonly Metric[] {
    return this.#registry.live(this.bounds);
  }

  /** Exact; sorts every raw value. */
  final(): readonly Metric[] {
    this.#steadyState.settle();
    return this.#registry.final(this.counters.trackedSamplesFailed.value, this.bounds);
  }

  /** For a result without time to sort: everything but exact percentiles. */
  hasty(): readonly Metric[] {
    this.#steadyState.settle();
    return this.#registry.live();
  }

  /** Of the samples that have ended so far. */
  answers(): readonly ObjectiveAnswer[] {
    return this.#tallies.answers();
  }

  /** Parts of a snapshot other than its metrics. */
  beside(): Pick<
    MetricsSnapshot,
    'objectives' | 'evidence' | 'server' | 'bounds' | 'variants' | 'sessions' | 'failures' | 'finishNames'
  > {
    const finishNames = this.#finishNames.counts();
    const server = this.server.evidence();
    const variants = this.#variants.figures();
    const sessions = this.#sessions?.figures();
    return {
      objectives: this.answers(),
      evidence: this.#contamination.evidence(),
      bounds: this.bounds.ofRun(),
      ...this.failures(),
      ...(server === undefined ? {} : { server }),
      ...(variants === undefined ? {} : { variants }),
      ...(sessions === undefined ? {} : { sessions }),
      ...(finishNames.length === 0 ? {} : { finishNames }),
    };
  }

  /** Missing if nothing failed. */
  failures(): Pick<MetricsSnapshot, 'failures'> {
    const groups = this.#failures.groups();
    if (groups.groups.length === 0) return {};
    const end = this.#unsuccessfulEnd.end();
    const outages = this.#outages.outages();
    return { failures: { ...groups, outages, ...(end === undefined ? {} : { unsuccessfulEnd: end }) } };
  }

  /** What only the coordinator of several machines needs, at the end. */
  forCoordinator(): Pick<MetricsSnapshot, 'boundParts'> {
    return this.#hasCells ? { boundParts: this.bounds.parts() } : {};
  }

  get valueCount(): number {
    return this.#registry.valueCount;
  }

  #judged(sample: EndedSample, figures: SampleFigures | undefined): void {
    this.#tallies.ended(sample, figures);
  }

  #sessionOver(session: FollowedSession, end: SessionEnd): void {
    this.#tallies.sessionOver(session, end, this.#sessions?.openCount ?? 0);
    if (end === 'completed') this.#series.sessionNs?.record(session.toNs - session.sentNs);
  }

  #completed(sample: EndedSample): void {
    this.counters.trackedSamplesCompleted.add();
    const check = sample.note?.check ?? 'none';
    if (check !== 'none') this.counters[`answers.${check}`].add();
    for (const doubt of sample.remark?.doubts ?? []) this.counters[`doubts.${doubt}`].add();
    const choices = choiceCount(sample);
    if (choices > 1) {
      this.counters.requestsWithChoices.add();
      this.counters.choicesCompleted.add(choices);
    }
    if (sample.remark?.isWithoutText === true) this.counters.completedWithoutText.add();
    this.#finishNames.ended(sample);
    this.counters.chunksCompleted.add(sample.chunkCount);
    this.#finishReasons[sample.finishReason].add();
    this.#windows.completed(sample.window, sample.endNs);
    if (sample.inputTokens === NO_FIGURE || sample.outputTokens === NO_FIGURE)
      this.counters.usageMissing.add();
    const figures = sampleFigures(sample, this.#isStreaming);
    this.#variants.ended(sample, figures);
    this.#judged(sample, figures);
    if (figures === undefined) {
      this.counters.samplesInconsistent.add();
      this.#goodput.unknown();
      return;
    }
    for (const [key, sampler] of this.#sampleSeries) {
      const figure = figures[key];
      if (figure !== NO_FIGURE) sampler.record(figure);
    }
    const gaps = this.#series.chunkGapNs;
    if (gaps !== undefined) for (const gap of gapsByChoice(sample)) gaps.record(gap);
    this.bounds.completed(sample, figures);
    this.#goodput.completed(figures);
  }
}

class TrackingWindows {
  readonly #total: CounterSampler;
  readonly #firstSentNs: number[] = [];
  readonly #lastEndNs: number[] = [];

  constructor(total: CounterSampler) {
    this.#total = total;
  }

  sent(window: number, sentNs: number): void {
    const first = this.#firstSentNs[window];
    if (first !== undefined && first <= sentNs) return;
    this.#firstSentNs[window] = sentNs;
    if (first !== undefined) this.#total.set(this.#sum()); // records of several threads come a little out of order
  }

  completed(window: number, endNs: number): void {
    const last = this.#lastEndNs[window];
    if (last !== undefined && last >= endNs) return;
    this.#lastEndNs[window] = endNs;
    this.#total.set(this.#sum());
  }

  #sum(): number {
    let sum = 0;
    for (const [window, firstNs] of this.#firstSentNs.entries()) {
      const lastNs = this.#lastEndNs[window];
      if (firstNs !== undefined && lastNs !== undefined && lastNs > firstNs) sum += lastNs - firstNs;
    }
    return sum;
  }
}
