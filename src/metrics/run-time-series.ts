// A run over time: rates and percentiles by the second. Samples count at their end, and their output tokens when they
// arrived: a server reports the tokens with the last chunk, so each chunk of an answer gets an equal part of them.

import type { ContentArrived } from '../core/run/content-arrived.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { RunProgress } from '../core/run/run.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../core/unknown.ts';
import type { SeriesColumn, TimeSeries } from '../wire/api/run-answers.ts';
import { gapsOf, type SampleTimes } from '../wire/sample-times.ts';
import { FirstRequests } from './first-requests.ts';
import {
  emptyPoint,
  keep,
  pairs,
  percentilesOf,
  type ReportedRates,
  type RunPoint,
  readable,
} from './run-points.ts';

export const POINTS_MAX = 1_200;

export class RunTimeSeries {
  readonly #isStreaming: boolean;
  #stepMs = 1_000;
  #lastEndMs = 0;
  #points: RunPoint[] = [];
  readonly #firstRequests = new FirstRequests();
  /** From the run's last report: when, and how many chunks had arrived. */
  #arrived: { readonly elapsedMs: number; readonly chunks: number } | undefined;
  #tokensPerChunk: Reported<number> = unknown('not reported');

  constructor(isStreaming: boolean) {
    this.#isStreaming = isStreaming;
  }

  /** One sample that has ended. */
  add(sample: SampleTimes): void {
    if (!sample.isTracked) return;
    const point = this.#at(sample.endNs / 1e6);
    if (point === undefined) return;
    // Without a stream the prompt was not read just before the content arrived.
    this.#firstRequests.add(this.#isStreaming ? sample : { ...sample, promptNs: NO_FIGURE });
    const start = this.#at(Math.min(sample.sentNs, sample.endNs) / 1e6);
    if (start !== undefined) start.sent += 1;
    // Looked up again: creating a later point may have merged the earlier ones.
    const end = this.#at(sample.endNs / 1e6) ?? point;
    end.ended += 1;
    this.#lastEndMs = Math.max(this.#lastEndMs, sample.endNs / 1e6);
    this.#arrive(sample);
    if (sample.outcome === 'failed') end.failed += 1;
    if (sample.outcome !== 'completed') return;
    end.completed += 1;
    const untilNs = this.#isStreaming ? sample.firstContentNs : sample.endNs;
    if (untilNs >= sample.sentNs) keep(end, untilNs - sample.sentNs);
  }

  /** The run's current figures about itself. */
  addProgress({ elapsedMs, recent, figures, contentArrived }: RunProgress): void {
    const point = this.#at(elapsedMs);
    if (point === undefined) return;
    if (this.#isStreaming && isKnown(contentArrived)) this.#reportArrived(elapsedMs, contentArrived);
    point.reported = {
      requestsPerSecond: isUnknown(recent.requestsPerSecond) ? null : recent.requestsPerSecond,
      outputTokensPerSecond: isUnknown(recent.outputTokensPerSecond) ? null : recent.outputTokensPerSecond,
      inFlight: Math.max(0, figures.counts.unresolved),
    };
  }

  /** Samples that ended around this time were left out. */
  skipped(elapsedMs: number): void {
    const point = this.#at(elapsedMs);
    if (point !== undefined) point.isPartial = true;
  }

  /** When the newest sample so far ended, since the run's zero. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  /** @param liveUntilMs of a live run: what ended later is not all here yet and is left out. */
  series(liveUntilMs?: number): TimeSeries {
    const isLive = liveUntilMs !== undefined;
    const { points, stepMs } = readable(this.#points, {
      stepMs: this.#stepMs,
      untilMs: liveUntilMs ?? Number.POSITIVE_INFINITY,
    });
    const first = points.findIndex(({ sent, ended, arrivedChunks }) => sent + ended + arrivedChunks > 0);
    let inFlight = 0;
    const counted = points.map(({ sent, ended }) => {
      inFlight += sent - ended;
      return inFlight;
    });
    const bands = points.map(percentilesOf);
    const requests = isLive ? undefined : this.#firstRequests.columns();
    /** Nothing is known of the time before the measured phase, nor of a last point that has hardly begun. */
    const perSecond = (counts: readonly (number | null)[], reported: keyof ReportedRates): SeriesColumn =>
      points.map((point, index) => {
        if (point.isPartial) return point.reported?.[reported] ?? null;
        const coveredMs = Math.min(stepMs, this.#lastEndMs - index * stepMs);
        const isCovered = isLive || coveredMs >= stepMs / 2;
        if (first === -1 || index < first || !isCovered) return null;
        const count = counts[index] ?? null;
        return count === null ? null : (count * 1_000) / (isLive ? stepMs : coveredMs);
      });
    return {
      stepMs,
      measured: this.#isStreaming ? 'ttftNs' : 'latencyNs',
      requestsPerSecond: perSecond(
        points.map(point => point.completed),
        'requestsPerSecond',
      ),
      outputTokensPerSecond: perSecond(
        isLive ? this.#tokensSoFar(points) : points.map(point => point.outputTokens),
        'outputTokensPerSecond',
      ),
      inFlight: points.map((point, index) => {
        if (isLive) return point.reported?.inFlight ?? null;
        return index < first ? null : (counted[index] ?? null);
      }),
      failed: points.map(point => point.failed),
      percentilesNs: {
        1: bands.map(band => band[0] ?? null),
        10: bands.map(band => band[1] ?? null),
        25: bands.map(band => band[2] ?? null),
        50: bands.map(band => band[3] ?? null),
        75: bands.map(band => band[4] ?? null),
        90: bands.map(band => band[5] ?? null),
        99: bands.map(band => band[6] ?? null),
      },
      ...(requests === undefined ? {} : { requests }),
    };
  }

  /** The chunks of an ended sample, and its tokens if it completed: an equal part to each chunk. */
  #arrive(sample: SampleTimes): void {
    const tokens =
      sample.outcome === 'completed' && sample.outputTokens !== NO_FIGURE ? sample.outputTokens : 0;
    const firstMs = sample.firstContentNs / 1e6;
    const endMs = sample.endNs / 1e6;
    const isOneStep = Math.floor(firstMs / this.#stepMs) === Math.floor(endMs / this.#stepMs);
    // When a reply without a stream was generated is unknown.
    const isWhole = !this.#isStreaming || sample.firstContentNs < sample.sentNs || isOneStep;
    const gaps = isWhole ? undefined : gapsOf(sample);
    if (gaps === undefined) {
      const end = this.#at(endMs);
      if (end === undefined) return;
      end.outputTokens += tokens;
      end.endedChunks += sample.chunkCount;
      return;
    }
    const part = tokens / (gaps.length + 1);
    let atNs = sample.firstContentNs;
    for (const gap of [0, ...gaps]) {
      atNs = Math.min(atNs + gap, sample.endNs);
      const point = this.#at(atNs / 1e6);
      if (point === undefined) continue;
      point.outputTokens += part;
      point.endedChunks += 1;
    }
  }

  /**
   * Distributes chunks since the last report evenly over the time between. Chunks before the first report are not
   * known.
   */
  #reportArrived(elapsedMs: number, { chunks, tokensPerChunk }: ContentArrived): void {
    const before = this.#arrived;
    this.#arrived = { elapsedMs, chunks };
    this.#tokensPerChunk = tokensPerChunk;
    if (before === undefined || chunks <= before.chunks || elapsedMs <= before.elapsedMs) return;
    const perMs = (chunks - before.chunks) / (elapsedMs - before.elapsedMs);
    for (let fromMs = before.elapsedMs; fromMs < elapsedMs; ) {
      const point = this.#at(fromMs);
      if (point === undefined) return;
      const toMs = Math.min(elapsedMs, (Math.floor(fromMs / this.#stepMs) + 1) * this.#stepMs);
      point.arrivedChunks += (toMs - fromMs) * perMs;
      fromMs = toMs;
    }
  }

  /** Includes the chunks of open answers, with as many tokens per chunk as completed ones had. */
  #tokensSoFar(points: readonly RunPoint[]): readonly (number | null)[] {
    const goingOn = chunksGoingOn(points);
    return points.map(({ outputTokens }, index) => {
      const chunks = goingOn[index] ?? 0;
      if (chunks < LEAST_CHUNKS) return outputTokens;
      return isUnknown(this.#tokensPerChunk) ? null : outputTokens + chunks * this.#tokensPerChunk;
    });
  }

  /** The point that contains a moment, created if it is missing; undefined for a moment that no run can have. */
  #at(elapsedMs: number): RunPoint | undefined {
    if (!(elapsedMs >= 0) || elapsedMs > ELAPSED_MS_MAX) return undefined;
    while (elapsedMs / this.#stepMs >= POINTS_MAX) this.#join();
    const index = Math.floor(elapsedMs / this.#stepMs);
    while (this.#points.length <= index) this.#points.push(emptyPoint());
    return this.#points[index];
  }

  #join(): void {
    this.#stepMs *= 2;
    this.#points = pairs(this.#points);
  }
}

/**
 * Chunks of open answers that arrived in each point. A point with fewer chunks than its ended answers had received
 * some a moment too early or too late: they are counted in the neighbour, and subtracted there.
 */
const chunksGoingOn = (points: readonly RunPoint[]): readonly number[] => {
  const left = points.map(({ arrivedChunks, endedChunks }) => arrivedChunks - endedChunks);
  for (const [index, chunks] of left.entries()) {
    let lacking = Math.max(0, -chunks);
    for (const beside of [index - 1, index + 1]) {
      const taken = Math.min(lacking, Math.max(0, left[beside] ?? 0));
      if (taken === 0) continue;
      left[beside] = (left[beside] ?? 0) - taken;
      lacking -= taken;
    }
  }
  return left;
};

/** Smaller values are rounding errors. */
const LEAST_CHUNKS = 1e-6;
/** The clock of a run holds 104 days exactly; no run lasts longer. */
const ELAPSED_MS_MAX = 104 * 24 * 3_600_000;
