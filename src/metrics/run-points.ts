// The points of a run over time: what ended and what arrived in each step of time. As a run exceeds the limit of
// points, neighbours are merged: two seconds a point, four, and so on.

import { SERIES_PERCENTILES } from '../wire/api/run-answers.ts';

/** Limit for one point; of more samples an even part is kept. */
const VALUES_PER_POINT_MAX = 1_000;
/** With fewer samples a point, neighbours are merged in a reply, as long as that leaves enough points for a chart. */
const VALUES_PER_POINT_MIN = 20;
const JOINED_POINTS_MIN = 60;

export interface RunPoint {
  completed: number;
  failed: number;
  /** Of completed samples, each chunk's part when it arrived. */
  outputTokens: number;
  /** Of samples that have ended. */
  endedChunks: number;
  /** From the run's own reports, of all samples. */
  arrivedChunks: number;
  sent: number;
  ended: number;
  valueCount: number;
  values: number[];
  /** Of `values`; undefined once there is a new one. */
  percentiles: readonly number[] | undefined;
  /** More samples arrived than were read; the run's own figures are used instead. */
  isPartial: boolean;
  reported: ReportedRates | undefined;
}

export interface ReportedRates {
  readonly requestsPerSecond: number | null;
  readonly outputTokensPerSecond: number | null;
  readonly inFlight: number;
}

interface RunSteps {
  readonly points: readonly RunPoint[];
  readonly stepMs: number;
}

/** Whole points up to a moment, merged until a percentile of one is based on enough samples. */
export const readable = (
  all: readonly RunPoint[],
  { stepMs, untilMs }: { readonly stepMs: number; readonly untilMs: number },
): RunSteps => {
  const points = all.slice(0, Math.max(0, Math.floor(untilMs / stepMs)));
  const values = points.reduce((sum, { valueCount }) => sum + valueCount, 0);
  const busy = points.filter(({ valueCount }) => valueCount > 0).length;
  if (points.length <= JOINED_POINTS_MIN || values >= VALUES_PER_POINT_MIN * busy) return { points, stepMs };
  return readable(pairs(all), { stepMs: stepMs * 2, untilMs });
};

export const pairs = (points: readonly RunPoint[]): RunPoint[] =>
  Array.from({ length: Math.ceil(points.length / 2) }, (_, index) =>
    joined(points[2 * index] ?? emptyPoint(), points[2 * index + 1] ?? emptyPoint()),
  );

/** METRICS §5 "lower": sorted[⌊p/100·(n−1)⌋]. Cached until the next value: a page requests it every two seconds. */
export const percentilesOf = (point: RunPoint): readonly number[] => {
  if (point.percentiles !== undefined) return point.percentiles;
  const sorted = Float64Array.from(point.values).sort();
  point.percentiles =
    sorted.length === 0
      ? []
      : SERIES_PERCENTILES.map(name => sorted[Math.floor((Number(name) / 100) * (sorted.length - 1))] ?? 0);
  return point.percentiles;
};

/** Above the limit a value replaces an earlier one, so that early and late ones are kept equally. */
export const keep = (point: RunPoint, value: number): void => {
  point.valueCount += 1;
  point.percentiles = undefined;
  if (point.values.length < VALUES_PER_POINT_MAX) {
    point.values.push(value);
    return;
  }
  // Multiplicative hashing of the count: as good as random here, and the same in every rebuild.
  const index = (Math.imul(point.valueCount, 2_654_435_761) >>> 0) % point.valueCount;
  if (index < VALUES_PER_POINT_MAX) point.values[index] = value;
};

const joined = (a: RunPoint, b: RunPoint): RunPoint => ({
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  outputTokens: a.outputTokens + b.outputTokens,
  endedChunks: a.endedChunks + b.endedChunks,
  arrivedChunks: a.arrivedChunks + b.arrivedChunks,
  sent: a.sent + b.sent,
  ended: a.ended + b.ended,
  valueCount: a.valueCount + b.valueCount,
  values: joinedValues(a, b),
  percentiles: undefined,
  isPartial: a.isPartial || b.isPartial,
  reported: b.reported ?? a.reported,
});

/** From each, as many as its share of all. */
const joinedValues = (a: RunPoint, b: RunPoint): number[] => {
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

export const emptyPoint = (): RunPoint => ({
  completed: 0,
  failed: 0,
  outputTokens: 0,
  endedChunks: 0,
  arrivedChunks: 0,
  sent: 0,
  ended: 0,
  valueCount: 0,
  values: [],
  percentiles: undefined,
  isPartial: false,
  reported: undefined,
});
