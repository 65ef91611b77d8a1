// A run over time: rates and percentiles by the second, made of its samples by when they ended. As a run grows past the
// bound on points, neighbours are joined: two seconds a point, four, and so on.

import { NO_FIGURE } from '../core/run/event-record.ts';
import type { RunProgress } from '../core/run/run.ts';
import { isUnknown } from '../core/unknown.ts';
import type { SeriesColumn, TimeSeries } from '../wire/api/run-answers.ts';
import { SERIES_PERCENTILES } from '../wire/api/run-answers.ts';
import type { SampleTimes } from '../wire/sample-times.ts';

export const POINTS_MAX = 1_200;
/** Of one point; of more samples an even part is kept. */
export const VALUES_PER_POINT_MAX = 1_000;
/** With fewer samples a point neighbours are joined in an answer, while that leaves enough points for a picture. */
export const VALUES_PER_POINT_MIN = 20;
export const JOINED_POINTS_MIN = 60;

interface Point {
  completed: number;
  failed: number;
  outputTokens: number;
  sent: number;
  ended: number;
  valueCount: number;
  values: number[];
  /** Of `values`; undefined once there is a new one. */
  percentiles: readonly number[] | undefined;
  /** More samples came than were read; what the run told of itself stands in. */
  isPartial: boolean;
  told: Told | undefined;
}

interface Told {
  readonly requestsPerSecond: number | null;
  readonly outputTokensPerSecond: number | null;
  readonly inFlight: number;
}

export class RunTimeSeries {
  readonly #isStreaming: boolean;
  #stepMs = 1_000;
  #lastEndMs = 0;
  #points: Point[] = [];

  constructor(isStreaming: boolean) {
    this.#isStreaming = isStreaming;
  }

  /** One sample that has ended. */
  add(sample: SampleTimes): void {
    if (!sample.isTracked) return;
    const point = this.#at(sample.endNs / 1e6);
    if (point === undefined) return;
    const start = this.#at(Math.min(sample.sentNs, sample.endNs) / 1e6);
    if (start !== undefined) start.sent += 1;
    // Looked up again: reaching for a later point may have joined the earlier ones.
    const end = this.#at(sample.endNs / 1e6) ?? point;
    end.ended += 1;
    this.#lastEndMs = Math.max(this.#lastEndMs, sample.endNs / 1e6);
    if (sample.outcome === 'failed') end.failed += 1;
    if (sample.outcome !== 'completed') return;
    end.completed += 1;
    if (sample.outputTokens !== NO_FIGURE) end.outputTokens += sample.outputTokens;
    const untilNs = this.#isStreaming ? sample.firstContentNs : sample.endNs;
    if (untilNs >= sample.sentNs) keep(end, untilNs - sample.sentNs);
  }

  /** What the run says of itself now. */
  told({ elapsedMs, recent, figures }: RunProgress): void {
    const point = this.#at(elapsedMs);
    if (point === undefined) return;
    point.told = {
      requestsPerSecond: isUnknown(recent.requestsPerSecond) ? null : recent.requestsPerSecond,
      outputTokensPerSecond: isUnknown(recent.outputTokensPerSecond) ? null : recent.outputTokensPerSecond,
      inFlight: Math.max(0, figures.counts.unresolved),
    };
  }

  /** Samples that ended around now were left out. */
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
    const first = points.findIndex(({ sent, ended }) => sent + ended > 0);
    let inFlight = 0;
    const counted = points.map(({ sent, ended }) => {
      inFlight += sent - ended;
      return inFlight;
    });
    const bands = points.map(percentilesOf);
    /** Nothing is known of the time before the measured phase, nor of a last point that has hardly begun. */
    const perSecond = (counts: (point: Point) => number, told: keyof Told): SeriesColumn =>
      points.map((point, index) => {
        if (point.isPartial) return point.told?.[told] ?? null;
        const coveredMs = Math.min(stepMs, this.#lastEndMs - index * stepMs);
        const isCovered = isLive || coveredMs >= stepMs / 2;
        if (first === -1 || index < first || !isCovered) return null;
        return (counts(point) * 1_000) / (isLive ? stepMs : coveredMs);
      });
    return {
      stepMs,
      measured: this.#isStreaming ? 'ttftNs' : 'latencyNs',
      requestsPerSecond: perSecond(point => point.completed, 'requestsPerSecond'),
      outputTokensPerSecond: perSecond(point => point.outputTokens, 'outputTokensPerSecond'),
      inFlight: points.map((point, index) => {
        if (isLive) return point.told?.inFlight ?? null;
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
    };
  }

  /** The point that a moment lies in, made where it is missing; undefined for a moment that no run can have. */
  #at(elapsedMs: number): Point | undefined {
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

interface Steps {
  readonly points: readonly Point[];
  readonly stepMs: number;
}

/** Whole points up to a moment, joined until a percentile of one has some samples to stand on. */
const readable = (
  all: readonly Point[],
  { stepMs, untilMs }: { readonly stepMs: number; readonly untilMs: number },
): Steps => {
  const points = all.slice(0, Math.max(0, Math.floor(untilMs / stepMs)));
  const values = points.reduce((sum, { valueCount }) => sum + valueCount, 0);
  const busy = points.filter(({ valueCount }) => valueCount > 0).length;
  if (points.length <= JOINED_POINTS_MIN || values >= VALUES_PER_POINT_MIN * busy) return { points, stepMs };
  return readable(pairs(all), { stepMs: stepMs * 2, untilMs });
};

const pairs = (points: readonly Point[]): Point[] =>
  Array.from({ length: Math.ceil(points.length / 2) }, (_, index) =>
    joined(points[2 * index] ?? emptyPoint(), points[2 * index + 1] ?? emptyPoint()),
  );

/** METRICS §5 "lower": sorted[⌊p/100·(n−1)⌋]. Kept until the next value: a page asks every two seconds. */
const percentilesOf = (point: Point): readonly number[] => {
  if (point.percentiles !== undefined) return point.percentiles;
  const sorted = Float64Array.from(point.values).sort();
  point.percentiles =
    sorted.length === 0
      ? []
      : SERIES_PERCENTILES.map(name => sorted[Math.floor((Number(name) / 100) * (sorted.length - 1))] ?? 0);
  return point.percentiles;
};

/** Past the bound a value takes the place of an earlier one, so that early and late ones are kept alike. */
const keep = (point: Point, value: number): void => {
  point.valueCount += 1;
  point.percentiles = undefined;
  if (point.values.length < VALUES_PER_POINT_MAX) {
    point.values.push(value);
    return;
  }
  // Multiplicative hashing of the count: as good as chance here, and the same in every rebuild.
  const place = (Math.imul(point.valueCount, 2_654_435_761) >>> 0) % point.valueCount;
  if (place < VALUES_PER_POINT_MAX) point.values[place] = value;
};

const joined = (a: Point, b: Point): Point => ({
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  outputTokens: a.outputTokens + b.outputTokens,
  sent: a.sent + b.sent,
  ended: a.ended + b.ended,
  valueCount: a.valueCount + b.valueCount,
  values: joinedValues(a, b),
  percentiles: undefined,
  isPartial: a.isPartial || b.isPartial,
  told: b.told ?? a.told,
});

/** Of each as many as its share of all. */
const joinedValues = (a: Point, b: Point): number[] => {
  const all = [...a.values, ...b.values];
  if (all.length <= VALUES_PER_POINT_MAX) return all;
  const share = Math.round((VALUES_PER_POINT_MAX * a.valueCount) / (a.valueCount + b.valueCount));
  return [...evenPart(a.values, share), ...evenPart(b.values, VALUES_PER_POINT_MAX - share)];
};

const evenPart = (values: readonly number[], count: number): readonly number[] => {
  if (values.length <= count) return values;
  const sorted = values.toSorted((x, y) => x - y);
  return Array.from(
    { length: count },
    (_, index) => sorted[Math.floor(((index + 0.5) * values.length) / count)] ?? 0,
  );
};

const emptyPoint = (): Point => ({
  completed: 0,
  failed: 0,
  outputTokens: 0,
  sent: 0,
  ended: 0,
  valueCount: 0,
  values: [],
  percentiles: undefined,
  isPartial: false,
  told: undefined,
});

/** The clock of a run holds 104 days exactly; no run lasts longer. */
const ELAPSED_MS_MAX = 104 * 24 * 3_600_000;
