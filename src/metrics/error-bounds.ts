// The error bound of each latency of a run, from what every sample says of its own stamps, from the lateness of its chunks and
// from the marks (docs/metrics.md, "Error bounds").

import type { EndedSample } from '../core/run/ended-sample.ts';
import type { SeriesErrorBound } from '../core/run/error-bound.ts';
import type { ChunkLatenessRecord, MarksRecord, SampleLateness } from '../core/run/event-record.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { SampleSeriesKey, SeriesKey } from '../core/run/run-series.ts';
import { RawValues } from '../core/statistics/raw-values.ts';
import type { BoundedValues, RankedValues } from './bound-percentiles.ts';
import { boundPercentiles } from './bound-percentiles.ts';
import { LatenessCounts } from './lateness-counts.ts';
import type { SampleFigures } from './sample-figures.ts';
import { ValueEdge } from './value-edge.ts';
import { WakeLateness } from './wake-lateness.ts';

export class ErrorBounds {
  readonly #least = new Map<SampleSeriesKey, ValueEdge>();
  readonly #tpotMost: ValueEdge;
  readonly #rawValuesMax: number | undefined;
  readonly #marks: RawValues = new RawValues(MARKS_MAX);
  readonly #chunks: LatenessCounts = new LatenessCounts();
  #wake = new WakeLateness(new Float64Array(0));
  #missing = 0;
  #tokensMin = Number.POSITIVE_INFINITY;
  #gaps = { count: 0, samples: 0, firstLateNs: 0, lastLateNs: 0 };

  /** @param rawValuesMax kept of each series; past it there is no exact bound */
  constructor(rawValuesMax?: number) {
    this.#rawValuesMax = rawValuesMax;
    this.#tpotMost = new ValueEdge(rawValuesMax);
  }

  observed(record: MarksRecord | ChunkLatenessRecord): void {
    if (record.kind === 'client.marks')
      for (const lateNs of record.latenessNs) this.#marks.add(Math.max(0, lateNs));
    else for (const [lateNsMax, count] of record.cells) this.#chunks.add(lateNsMax, count);
  }

  completed(sample: EndedSample, figures: SampleFigures): void {
    const { lateness, chunkGapsNs } = sample;
    if (lateness === undefined) {
      this.#missing += 1;
      return;
    }
    for (const [key, lateOf] of LATE_OF) {
      const value = figures[key];
      if (value !== NO_FIGURE) this.#edge(key).add(value, lateOf(lateness, sample));
    }
    const { firstContentLateNs, lastContentLateNs } = lateness;
    if (figures.tpotNs !== NO_FIGURE) {
      const tokens = sample.outputTokens - 1;
      this.#tokensMin = Math.min(this.#tokensMin, tokens);
      this.#edge('tpotNs').add(figures.tpotNs, lastContentLateNs / tokens);
      this.#tpotMost.add(figures.tpotNs, -firstContentLateNs / tokens);
    }
    if (chunkGapsNs.length === 0) return;
    this.#gaps.count += chunkGapsNs.length;
    this.#gaps.samples += 1;
    this.#gaps.firstLateNs += firstContentLateNs;
    this.#gaps.lastLateNs += lastContentLateNs;
  }

  /** Why there is none; undefined where there is. */
  get unknownBecause(): string | undefined {
    if (this.#missing > 0) return 'the samples do not say how late they were read';
    return this.#marks.length < MARKS_MIN
      ? `fewer than ${MARKS_MIN} marks were read: the run was too short, or had no loopback`
      : undefined;
  }

  /** Exact: sorts. `measured` are the values of the series, ascending. */
  final(
    key: SeriesKey,
    measured: Float64Array,
    percentiles: readonly number[],
  ): SeriesErrorBound | undefined {
    return this.#bound(key, { length: measured.length, at: rank => measured[rank] }, percentiles, edge =>
      edge.sorted(),
    );
  }

  /** From histograms, of a few percentiles. */
  live(key: SeriesKey, measured: RankedValues, percentiles: readonly number[]): SeriesErrorBound | undefined {
    return this.#bound(key, measured, percentiles, edge => edge.ranked());
  }

  #bound(
    key: SeriesKey,
    measured: RankedValues,
    percentiles: readonly number[],
    rank: (edge: ValueEdge) => RankedValues,
  ): SeriesErrorBound | undefined {
    if (measured.length === 0 || this.unknownBecause !== undefined) return undefined;
    if (key === 'chunkGapNs') return boundPercentiles(this.#gapValues(measured), percentiles);
    const edge = isBounded(key) ? this.#least.get(key) : undefined;
    if (edge === undefined || edge.count !== measured.length) return undefined;
    const wake = this.#wakes();
    const [part, most] = key === 'tpotNs' ? [1 / this.#tokensMin, this.#tpotMost] : [1, undefined];
    const wakeNs = part * wake.meanMaxNs(edge.count);
    return boundPercentiles(
      {
        measured,
        least: rank(edge),
        most: most === undefined ? undefined : rank(most),
        lagMaxNs: spared => part * wake.passedByMaxNs(edge.count, spared),
        ranksPerSpared: 1,
        mean: {
          above: edge.lateNsMean + wakeNs,
          below: most === undefined ? 0 : wakeNs - most.lateNsMean,
        },
      },
      percentiles,
    );
  }

  /** A gap is too long by the lateness of its end and too short by that of its start; in their mean only the ends count. */
  #gapValues(measured: RankedValues): BoundedValues {
    const wake = this.#wakes();
    const { count, samples, firstLateNs, lastLateNs } = this.#gaps;
    const wakesNs = samples * wake.meanMaxNs(samples);
    return {
      measured,
      least: measured,
      most: measured,
      lagMaxNs: spared => this.#chunks.passedByMaxNs(spared) + wake.passedByMaxNs(measured.length, spared),
      ranksPerSpared: 2,
      mean: { above: (lastLateNs + wakesNs) / count, below: (firstLateNs + wakesNs) / count },
    };
  }

  /** Sorted anew when there are more of them. */
  #wakes(): WakeLateness {
    if (this.#wake.count !== this.#marks.length) this.#wake = new WakeLateness(this.#marks.inOrder());
    return this.#wake;
  }

  #edge(key: SampleSeriesKey): ValueEdge {
    const known = this.#least.get(key);
    if (known !== undefined) return known;
    const edge = new ValueEdge(this.#rawValuesMax);
    this.#least.set(key, edge);
    return edge;
  }
}

type LateOf = (lateness: SampleLateness, sample: EndedSample) => number;

/** Of each latency from a request on: it was sent while it was being written, and perhaps too late. */
const LATE_OF: readonly (readonly [BoundedKey, LateOf])[] = [
  ['ttftNs', ({ writeNs, firstContentLateNs }) => writeNs + firstContentLateNs],
  ['ttftFromIntendedNs', (late, sample) => late.writeNs + late.firstContentLateNs + sentLateNs(sample)],
  ['latencyNs', ({ writeNs, endLateNs }) => writeNs + endLateNs],
  ['latencyFromIntendedNs', (late, sample) => late.writeNs + late.endLateNs + sentLateNs(sample)],
  ['firstByteNs', ({ writeNs, firstByteLateNs }) => writeNs + firstByteLateNs],
];

const sentLateNs = ({ sentNs, intendedNs, heldBackNs }: EndedSample): number =>
  Math.max(0, sentNs - intendedNs - heldBackNs);

type BoundedKey = (typeof BOUNDED)[number];

const BOUNDED = [
  'ttftNs',
  'ttftFromIntendedNs',
  'latencyNs',
  'latencyFromIntendedNs',
  'firstByteNs',
  'tpotNs',
] as const;

const isBounded = (key: SeriesKey): key is BoundedKey => BOUNDED.some(bounded => bounded === key);

/** Fewer say nothing of a tail. */
const MARKS_MIN = 20;
/** Four hours of one load thread; what comes later is like it. */
const MARKS_MAX = 1_500_000;
