// The error bound of each latency of a run, from what every sample says of its own stamps, from the lateness of its chunks and
// from the marks (docs/metrics.md, "Error bounds").

import type { EndedSample } from '../core/run/ended-sample.ts';
import type { SeriesErrorBound } from '../core/run/error-bound.ts';
import type { ChunkLatenessRecord, MarksRecord, SampleLateness } from '../core/run/event-record.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { SeriesKey } from '../core/run/run-series.ts';
import type { RankedValues } from './bound-percentiles.ts';
import { boundPercentiles, roundedBound } from './bound-percentiles.ts';
import { GapBounds } from './gap-bounds.ts';
import type { SampleFigures } from './sample-figures.ts';
import type { TimeLate } from './value-edges.ts';
import { ValueEdges } from './value-edges.ts';
import { WakeLateness } from './wake-lateness.ts';

export class ErrorBounds {
  readonly #edges: ReadonlyMap<string, readonly [ValueEdges, LateOf]>;
  readonly #gaps = new GapBounds();
  readonly #marks: (readonly number[])[] = [];
  #markCount = 0;
  #heldNsMax = 0;
  #wake: WakeLateness | undefined;
  #missing = 0;
  /** Live, and how often more it is told again. */
  readonly #told = new Map<SeriesKey, { readonly bound: SeriesErrorBound | undefined; left: number }>();

  /** @param rawValuesMax kept of each series; past it bounds come from histograms */
  constructor(rawValuesMax?: number) {
    this.#edges = new Map(LATE_OF.map(([key, lateOf]) => [key, [new ValueEdges(rawValuesMax), lateOf]]));
  }

  observed(record: MarksRecord | ChunkLatenessRecord): void {
    if (record.kind === 'client.chunks') this.#gaps.observed(record);
    else if (this.#markCount < MARKS_MAX) {
      this.#marks.push(record.latenessNs.map(lateNs => Math.max(0, lateNs)));
      this.#markCount += record.latenessNs.length;
      this.#heldNsMax = Math.max(this.#heldNsMax, record.heldNsMax);
      this.#wake = undefined;
    }
  }

  completed(sample: EndedSample, figures: SampleFigures): void {
    const { lateness } = sample;
    if (lateness === undefined) {
      this.#missing += 1;
      return;
    }
    for (const [key, lateOf] of LATE_OF) {
      const value = figures[key];
      if (value !== NO_FIGURE) this.#edges.get(key)?.[0].add(value, lateOf(lateness, sample));
    }
    this.#gaps.completed(sample, lateness);
  }

  /** Exact: sorts. `measured` are the values of the series, ascending. */
  final(
    key: SeriesKey,
    measured: Float64Array,
    percentiles: readonly number[],
  ): SeriesErrorBound | undefined {
    const ranked = { length: measured.length, at: (rank: number) => measured[rank] };
    return this.#bound(key, ranked, percentiles, true);
  }

  /** From histograms, of a few percentiles. */
  live(key: SeriesKey, measured: RankedValues, percentiles: readonly number[]): SeriesErrorBound | undefined {
    const known = this.#told.get(key);
    if (known !== undefined && known.left > 0) {
      known.left -= 1;
      return known.bound;
    }
    const bound = this.#bound(key, measured, percentiles, false);
    this.#told.set(key, { bound, left: LIVE_REUSED });
    return bound;
  }

  #bound(
    key: SeriesKey,
    measured: RankedValues,
    percentiles: readonly number[],
    isExact: boolean,
  ): SeriesErrorBound | undefined {
    if (measured.length === 0 || this.#missing > 0 || this.#markCount < MARKS_MIN) return undefined;
    this.#wake ??= new WakeLateness(this.#marks, this.#heldNsMax);
    const bounds = key === 'chunkGapNs' ? this.#gaps : this.#edges.get(key)?.[0];
    if (bounds === undefined || bounds.count !== measured.length) return undefined;
    return {
      mean: roundedBound(bounds.mean(this.#wake)),
      percentiles: boundPercentiles(measured, bounds.ways(this.#wake, measured, isExact), percentiles),
    };
  }
}

type LateOf = (lateness: SampleLateness, sample: EndedSample) => TimeLate;

const fromSent =
  (stamp: 'firstByte' | 'firstContent' | 'end', isFromIntended: boolean): LateOf =>
  (late, sample) => {
    const sentNs = late.writeNs + (isFromIntended ? sentLateNs(sample) : 0);
    return {
      atNs: sample[`${stamp}Ns`],
      endNs: sentNs + late[`${stamp}LateNs`],
      endNsMax: sentNs + late[`${stamp}LateNsMax`],
      startNs: 0,
      startNsMax: 0,
      dividedBy: 1,
    };
  };

const sentLateNs = ({ sentNs, intendedNs, heldBackNs }: EndedSample): number =>
  Math.max(0, sentNs - intendedNs - heldBackNs);

const LATE_OF = [
  ['ttftNs', fromSent('firstContent', false)],
  ['ttftFromIntendedNs', fromSent('firstContent', true)],
  ['latencyNs', fromSent('end', false)],
  ['latencyFromIntendedNs', fromSent('end', true)],
  ['firstByteNs', fromSent('firstByte', false)],
  [
    'tpotNs',
    (late: SampleLateness, sample: EndedSample): TimeLate => ({
      atNs: sample.endNs,
      endNs: late.lastContentLateNs,
      endNsMax: late.lastContentLateNsMax,
      startNs: late.firstContentLateNs,
      startNsMax: late.firstContentLateNsMax,
      dividedBy: sample.outputTokens - 1,
    }),
  ],
] as const;

/** Fewer say nothing of a tail. */
const MARKS_MIN = 20;
/** Four hours of one load thread; the first of them speak for the rest. */
const MARKS_MAX = 1_500_000;
/** A live view looks five times a second, and a bound once. */
const LIVE_REUSED = 4;
