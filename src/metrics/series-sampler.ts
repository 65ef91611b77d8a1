// A series of a run: a histogram for live percentiles, the raw values for exact final ones, and exact sums. Recording
// allocates nothing but the next block of raw values.

import type { SeriesErrorBound } from '../core/run/event-record.ts';
import { isSeriesKey, type SeriesKey } from '../core/run/run-series.ts';
import type { SeriesMetric } from '../core/run/snapshot.ts';
import {
  earlyStoppingEstimate,
  earlyStoppingRank,
  tailInterval,
  tailRanks,
} from '../core/statistics/early-stopping.ts';
import { ExactSums } from '../core/statistics/exact-sums.ts';
import { Histogram, type HistogramBounds } from '../core/statistics/histogram.ts';
import { countBetween, LOG_BUCKET_COUNT, logBuckets, logEdges } from '../core/statistics/log-buckets.ts';
import {
  DEFAULT_PERCENTILES,
  failureAdjustedPercentile,
  lowerIndex,
  type RankedValues,
} from '../core/statistics/percentile.ts';
import { type BlockStore, RAW_VALUES_MAX, RawValues } from '../core/statistics/raw-values.ts';
import { decimalText, parseDecimalText } from './decimal-text.ts';
import type { ErrorBounds } from './error-bounds.ts';
import { packCells, unpackCells } from './series-cells.ts';

export interface SeriesOptions {
  readonly unit: SeriesMetric['unit'];
  /** Bounds of the histogram, in the unit; default by the unit (METRICS §5). */
  readonly bounds?: HistogramBounds;
  readonly percentiles?: readonly number[];
  /** Whether the final result also counts each failure as +∞. */
  readonly isFailureAdjusted?: boolean;
  /** Limit of raw values; above it percentiles come from the histogram. */
  readonly rawValuesMax?: number;
  /** Where full blocks of them go; default this process's memory. */
  readonly store?: BlockStore | undefined;
  /** Its metrics carry the histogram itself, for a coordinator to add. */
  readonly hasCells?: boolean;
}

export class SeriesSampler {
  readonly name: string;
  readonly #unit: SeriesMetric['unit'];
  readonly #isFailureAdjusted: boolean;
  readonly #percentiles: readonly number[];
  readonly #decimals: number;
  readonly #scale: number;
  readonly #histogram: Histogram;
  readonly #raw: RawValues;
  readonly #hasCells: boolean;
  readonly #sums = new ExactSums();
  #zeros = 0;
  /** Number of values of which only the histogram is known. */
  #addedCount = 0;
  #leastAboveZero = Number.POSITIVE_INFINITY;

  /** @throws RangeError without a median among the percentiles: every view shows it. */
  constructor(name: string, options: SeriesOptions) {
    const { unit, percentiles = DEFAULT_PERCENTILES } = options;
    if (!percentiles.includes(50))
      throw new RangeError(`series ${name}: the median (50) must be a percentile`);
    this.name = name;
    this.#unit = unit;
    this.#isFailureAdjusted = options.isFailureAdjusted ?? false;
    this.#hasCells = options.hasCells ?? false;
    this.#percentiles = percentiles.toSorted((a, b) => a - b);
    this.#decimals = unit === 'ratio' ? RATIO_DECIMALS : 0;
    this.#scale = 10 ** this.#decimals;
    const { low, high } = options.bounds ?? BOUNDS[unit];
    this.#histogram = new Histogram({ low: Math.max(1, low * this.#scale), high: high * this.#scale });
    this.#raw = new RawValues(options.rawValuesMax ?? RAW_VALUES_MAX, options.store);
  }

  get count(): number {
    return this.#sums.count;
  }

  /**
   * A whole number from 0 on; a ratio is stored in millionths, so that its sums are exact too.
   * @throws RangeError for anything else: a missing value must not be recorded.
   */
  record(value: number): void {
    const kept = this.#kept(value);
    this.#sums.record(kept);
    // Zero is a normal value; the histogram has no cell for it and would count it as clamped.
    this.#histogram.record(kept === 0 ? 1 : kept);
    this.#raw.add(kept);
    if (kept === 0) this.#zeros += 1;
    else if (kept < this.#leastAboveZero) this.#leastAboveZero = kept;
  }

  /**
   * Adds the counts of another machine's sampler; of its raw values only the histogram is known.
   * @returns false, and adds nothing, if the metric has no cells that can be read
   */
  add(metric: SeriesMetric): boolean {
    const { count, total, sumOfSquares, min, max, cells, clampedCount } = metric;
    if (count === 0) return true;
    const packed = cells === undefined ? undefined : unpackCells(cells);
    const sum = parseDecimalText(total, this.#decimals);
    const squares = parseDecimalText(sumOfSquares, 2 * this.#decimals);
    if (packed === undefined || sum === undefined || squares === undefined || min === null || max === null)
      return false;
    this.#sums.add({ count, min: this.#kept(min), max: this.#kept(max), total: sum, sumOfSquares: squares });
    for (const [cell, cellCount] of packed.cells) this.#histogram.addCell(cell, cellCount);
    this.#histogram.addClamped(clampedCount);
    this.#zeros += packed.zeros;
    if (packed.leastAboveZero > 0)
      this.#leastAboveZero = Math.min(this.#leastAboveZero, packed.leastAboveZero);
    this.#addedCount += count;
    return true;
  }

  /** From the histogram: cheap at any count. */
  live(bounds?: ErrorBounds): SeriesMetric {
    const values = this.#histogram.percentiles(this.#percentiles).map(value => this.#inRange(value));
    // Some buckets narrower than a cell would be empty, and look like gaps.
    const cells = this.#histogram.cellsBetween(this.#leastAboveZero, this.#sums.max);
    const edges = this.#edges(Math.max(1, Math.min(LOG_BUCKET_COUNT, Math.floor(cells / 2))));
    // Zeros are in its lowest cell, and so in the first bucket.
    const counts = this.#histogram
      .bucketCounts(edges)
      .map((count, bucket) => (bucket === 0 ? count - this.#zeros : count));
    return {
      ...this.#rollup(),
      percentiles: this.#named(values),
      isExact: false,
      ...this.#bound(key => bounds?.live(key, this.#ranked(), LIVE_BOUNDED)),
      histogram: this.#buckets(edges, counts),
    };
  }

  /** Exact over the raw values, with as much as n samples allow to state; `failures` count as +∞. */
  final(failures: number, bounds?: ErrorBounds): SeriesMetric {
    if (this.#raw.leftOut > 0 || this.#addedCount > 0) return this.live(bounds);
    const ranked = this.#raw.ranked();
    const edges = this.#edges();
    const tails = this.#percentiles.filter(p => p >= 50 && p < 100);
    ranked.prepare({
      ranks: [
        ...this.#percentiles.map(p => lowerIndex(p, ranked.length)),
        ...this.#percentiles.map(p => lowerIndex(p, ranked.length + failures)),
        ...tails.map(p => ranked.length - earlyStoppingRank(ranked.length, p)),
        ...tails.flatMap(p => boundRanks(ranked.length, p)),
      ],
      values: edges,
    });
    const percentiles =
      ranked.length === 0 ? [] : this.#percentiles.map(p => ranked.at(lowerIndex(p, ranked.length)) ?? 0);
    return {
      ...this.#rollup(),
      percentiles: this.#named(percentiles),
      isExact: true,
      ...this.#bound(key => bounds?.final(key, ranked, this.#percentiles)),
      estimates: Object.fromEntries(
        tails.map(p => [String(p), this.#shownOrNull(earlyStoppingEstimate(ranked, p))]),
      ),
      ...this.#intervals(ranked, tails),
      ...(this.#isFailureAdjusted ? { failureAdjusted: this.#adjusted(ranked, failures) } : {}),
      histogram: this.#buckets(edges, countBetween(ranked, edges, this.#zeros)),
    };
  }

  #rollup(): Omit<SeriesMetric, 'percentiles' | 'isExact' | 'histogram'> {
    const isEmpty = this.#sums.count === 0;
    return {
      kind: 'series',
      name: this.name,
      unit: this.#unit,
      count: this.#sums.count,
      total: decimalText(this.#sums.total(), this.#decimals),
      sumOfSquares: decimalText(this.#sums.sumOfSquares(), 2 * this.#decimals),
      min: isEmpty ? null : this.#shown(this.#sums.min),
      max: isEmpty ? null : this.#shown(this.#sums.max),
      clampedCount: this.#histogram.clampedCount,
      leftOutCount: this.#raw.leftOut,
      ...(this.#hasCells ? { cells: this.#packed() } : {}),
    };
  }

  #ranked(): RankedValues {
    return { length: this.count, at: rank => this.#histogram.valueAtRank(rank + 1) };
  }

  #bound(boundOf: (key: SeriesKey) => SeriesErrorBound | undefined): Pick<SeriesMetric, 'errorBound'> {
    const bound = isSeriesKey(this.name) ? boundOf(this.name) : undefined;
    return bound === undefined ? {} : { errorBound: bound };
  }

  #packed(): Uint8Array {
    const least = this.#leastAboveZero;
    return packCells({
      cells: this.#histogram.cells(),
      zeros: this.#zeros,
      leastAboveZero: Number.isFinite(least) ? least : 0,
    });
  }

  #adjusted(ranked: RankedValues, failures: number): Readonly<Record<string, number | null>> {
    if (ranked.length + failures === 0) return {};
    return Object.fromEntries(
      this.#percentiles.map(p => [
        String(p),
        this.#shownOrNull(failureAdjustedPercentile(ranked, failures, p)),
      ]),
    );
  }

  /** For tails that are not estimable from so few values. */
  #intervals(ranked: RankedValues, tails: readonly number[]): Pick<SeriesMetric, 'intervals'> {
    const found = tails.flatMap(p => {
      const interval = tailInterval(ranked, p);
      if (interval === undefined) return [];
      const { low, high } = interval;
      return [
        [String(p), { low: this.#shown(low), high: high === null ? null : this.#shown(high) }] as const,
      ];
    });
    return found.length === 0 ? {} : { intervals: Object.fromEntries(found) };
  }

  /** A cell's highest value may exceed the greatest observed value. */
  #inRange(value: number): number {
    return Math.min(Math.max(value, this.#sums.min), this.#sums.max);
  }

  #edges(bucketCount: number = LOG_BUCKET_COUNT): readonly number[] {
    return logEdges(this.#leastAboveZero, this.#sums.max, bucketCount);
  }

  #buckets(edges: readonly number[], counts: readonly number[]): SeriesMetric['histogram'] {
    const buckets = logBuckets(edges, counts);
    return this.#scale === 1
      ? buckets
      : buckets.map(([low, high, count]) => [this.#shown(low), this.#shown(high), count]);
  }

  #named(values: readonly number[]): Readonly<Record<string, number>> {
    return Object.fromEntries(
      values.map((value, index) => [String(this.#percentiles[index]), this.#shown(value)]),
    );
  }

  #kept(value: number): number {
    return this.#scale === 1 ? value : Math.round(value * this.#scale);
  }

  #shown(kept: number): number {
    return kept / this.#scale;
  }

  #shownOrNull(kept: number | undefined): number | null {
    return kept === undefined || kept === Number.POSITIVE_INFINITY ? null : this.#shown(kept);
  }
}

/** Those that a live view shows. */
const LIVE_BOUNDED: readonly number[] = [50, 90, 99];
/** Millionths: a mean of tokens per chunk needs no more, and sums of whole millionths are exact. */
const RATIO_DECIMALS = 6;

/** METRICS §5: 1 ns to 1 h, 1 to 10 M tokens. Values beyond are true everywhere but in the histogram. */
const BOUNDS: Readonly<Record<SeriesMetric['unit'], HistogramBounds>> = {
  ns: { low: 1, high: 3_600_000_000_000 },
  tokens: { low: 1, high: 10_000_000 },
  bytes: { low: 1, high: 2 ** 50 },
  ratio: { low: 0, high: 1_000_000 },
};

const boundRanks = (count: number, percentile: number): readonly number[] => {
  const ranks = tailRanks(count, percentile);
  return ranks === undefined ? [] : [ranks.low, ...(ranks.high === undefined ? [] : [ranks.high])];
};
