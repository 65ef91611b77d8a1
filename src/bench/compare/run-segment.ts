// One segment of a comparison: an ordinary run in its own directory that ends when it has been long enough for
// meaningful figures, and after which nothing is in flight.

import { pause } from '../../clock/clock.ts';
import { isLongEnough, type SegmentRules, type SegmentSoFar } from '../../core/comparison/pair-plan.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { Report } from '../../core/run/report.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { runBench } from '../bench.ts';
import type { BenchParts, StartedRun } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import type { SessionPhase } from '../run/session.ts';
import { type StageFacts, StageSampler } from '../sweep/stage-sampler.ts';

export interface SegmentParts {
  readonly bench: Omit<
    BenchParts,
    'runId' | 'startedAt' | 'noncePrefix' | 'directory' | 'observer' | 'early' | 'tap'
  >;
  /** Provides random ids and nonces; everything else here is deterministic. */
  newRun(number: number): Pick<BenchParts, 'runId' | 'startedAt' | 'noncePrefix'>;
  /** Performs its run, for example on several machines; by default this process sends the load. */
  readonly run?: typeof runBench;
  readonly observer: SegmentObserver;
}

interface SegmentObserver {
  /** Its run has begun. */
  run(run: StartedRun): void;
  phase(phase: SessionPhase): void;
  snapshot(snapshot: MetricsSnapshot): void;
  notice(text: string): void;
}

export interface SegmentOrder {
  /** From 1, over all segments. */
  readonly number: number;
  readonly request: BenchRequest;
  readonly seed: number;
  /** Absolute. */
  readonly directory: string;
  readonly rules: SegmentRules;
  /** It ends after its time or its sessions, independent of how many requests completed. */
  readonly isFixed: boolean;
}

export interface EndedSegment {
  readonly report: Report;
  readonly soFar: SegmentSoFar;
  readonly diskProblems: readonly string[];
}

/** @throws BenchError as a run does, before anything was measured. */
export const runSegment = async (order: SegmentOrder, parts: SegmentParts): Promise<EndedSegment> => {
  const { request, rules, isFixed } = order;
  const { bench, observer } = parts;
  let warmupRequests = 0;
  const latencies = new CompletedLatencies();
  const tap = new StageSampler(latencies, () => warmupRequests);
  const early = { drain: new AbortController(), cancel: new AbortController() };
  const over = new AbortController();
  let loadMs: number | undefined;
  const soFar = (): SegmentSoFar => ({
    elapsedMs: loadMs ?? Math.max(0, (tap.elapsedNs() ?? 0) / 1e6),
    completed: latencies.count,
    medianLatencyNs: latencies.medianNs(),
  });
  const watching = (async () => {
    while (!isFixed && !over.signal.aborted) {
      await pause(bench.clock, LOOK_MS, over.signal);
      if (loadMs !== undefined || over.signal.aborted || !isLongEnough(soFar(), rules)) continue;
      loadMs = soFar().elapsedMs;
      early.drain.abort();
    }
  })();
  try {
    const { report, diskProblems } = await (parts.run ?? runBench)(
      {
        ...request,
        seed: order.seed,
        samplesMax: rules.sessions,
        ...(rules.sessions === undefined
          ? { durationMs: isFixed ? rules.durationMs : SEGMENT_MS_MAX }
          : { durationMs: undefined }),
      },
      {
        ...bench,
        ...parts.newRun(order.number),
        directory: order.directory,
        early: { drain: early.drain.signal, cancel: early.cancel.signal },
        tap,
        observer: {
          started: run => {
            warmupRequests = run.config.run.warmupRequests;
            observer.run(run);
          },
          phase: phase => {
            if (phase === 'draining') loadMs ??= soFar().elapsedMs;
            observer.phase(phase);
          },
          snapshot: snapshot => observer.snapshot(snapshot),
          notice: text => observer.notice(text),
        },
      },
    );
    return { report, soFar: soFar(), diskProblems };
  } finally {
    over.abort();
    await watching;
  }
};

/** Latencies of the first completed requests: their median is the expected duration of a request. */
class CompletedLatencies implements StageFacts {
  readonly #firstNs: number[] = [];
  #medianOf = 0;
  #median = 0;
  count = 0;

  issued(): void {}
  firstContent(): void {}

  ended(_index: number, { outcome, sentNs, endNs }: EndedSample): void {
    if (outcome !== 'completed') return;
    this.count += 1;
    if (this.#firstNs.length < LATENCIES_KEPT_MAX) this.#firstNs.push(endNs - sentNs);
  }

  /** 0 while there is none. */
  medianNs(): number {
    if (this.#medianOf !== this.#firstNs.length) {
      this.#medianOf = this.#firstNs.length;
      this.#median = this.#firstNs.toSorted((a, b) => a - b)[this.#medianOf >> 1] ?? 0;
    }
    return this.#median;
  }
}

const LOOK_MS = 100;
/** An endpoint that completes almost nothing is not awaited longer than this, ms. */
const SEGMENT_MS_MAX = 1_800_000;
const LATENCIES_KEPT_MAX = 4_096;
