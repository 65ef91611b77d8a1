// The error bound of each latency of a run, from the lateness that every sample reports for its own stamps, from the
// lateness of its chunks and from the marks (docs/metrics.md, "Error bounds").

import { counted, formatCount } from '../core/figure/figure.ts';
import { type EndedSample, sendLatenessNs } from '../core/run/ended-sample.ts';
import {
  GAP_EDGES,
  type GapEdgesRecord,
  type MarksRecord,
  NO_FIGURE,
  type RunBounds,
  type SampleLateness,
  type SeriesErrorBound,
} from '../core/run/event-record.ts';
import type { SeriesKey } from '../core/run/run-series.ts';
import type { BoundParts } from '../core/run/snapshot.ts';
import type { RankedValues } from '../core/statistics/percentile.ts';
import { type Reported, unknown } from '../core/unknown.ts';
import { packBoundParts, unpackBoundParts } from './bound-parts.ts';
import { boundPercentiles, roundedBound } from './bound-percentiles.ts';
import { THROTTLED_PART_MAX } from './client-verdict.ts';
import { GapBounds } from './gap-bounds.ts';
import type { SampleFigures } from './sample-figures.ts';
import { type TimeLate, ValueEdges, type ValueEdgesOptions } from './value-edges.ts';
import { type Lateness, latestOf, type MarkedLateness, NO_LATENESS, WakeLateness } from './wake-lateness.ts';
import { WindowBounds } from './window-bounds.ts';

export class ErrorBounds {
  readonly #edges: ReadonlyMap<string, readonly [ValueEdges, LateOf]>;
  readonly #gaps = new GapBounds();
  readonly #window = new WindowBounds();
  readonly #marks: MarksRecord[] = [];
  #markCount = 0;
  #marked: MarkedLateness | undefined;
  #completed = 0;
  #missing = 0;
  #lost = 0;
  readonly #agents: MarkedLateness[] = [];
  /** Why an agent's part is not known. */
  #unheard: string | undefined;
  /**
   * Names of throttled clients, as far as their reads are late by it: the share of the time. The kernel does not count it as waiting for a processor, so no
   * stamp includes it.
   */
  readonly #throttled = new Map<string, number>();
  /** Names of agents whose timestamps are the kernel's. */
  readonly #byKernel = new Set<string>();
  /** Live bounds, and how many more times each is reused. */
  readonly #reported = new Map<SeriesKey, { readonly bound: SeriesErrorBound | undefined; left: number }>();

  constructor({ rawValuesMax, store }: Partial<Pick<ValueEdgesOptions, 'rawValuesMax' | 'store'>> = {}) {
    this.#edges = new Map(
      LATE_OF.map(([key, lateOf]) => [
        key,
        [new ValueEdges({ rawValuesMax, store, isTwoSided: key === 'tpotNs' }), lateOf],
      ]),
    );
  }

  observed(record: MarksRecord | GapEdgesRecord): void {
    if (record.kind === 'client.gaps') this.#gaps.observed(record);
    else if (this.#markCount < MARKS_MAX) {
      const isKnown = record.latenessNs.length === 0 && this.#marks.some(isEmpty);
      if (!isKnown) this.#marks.push(record);
      this.#markCount += record.latenessNs.length;
      this.#marked = undefined;
    }
  }

  /** For a coordinator. */
  parts(): BoundParts {
    return packBoundParts({
      lateMarks: this.#marks.map(({ latenessNs }) => latenessNs),
      blockedMarks: this.#marks.map(({ blockedNs }) => blockedNs),
      gaps: this.#gaps.edges,
    });
  }

  /** From one of several machines, whose samples are counted here. undefined: it sent nothing that can be read. */
  addAgent(packed: BoundParts | undefined, { name, clockErrorNs }: BoundedAgent): void {
    const parts = packed === undefined ? undefined : unpackBoundParts(packed);
    const marks = parts?.lateMarks.reduce((sum, group) => sum + group.length, 0) ?? 0;
    if (parts === undefined) this.#unheard ??= `${name} reported nothing about its lateness`;
    else if (marks < MARKS_MIN && !isByKernel(parts.lateMarks))
      this.#unheard ??= tooFewMarks(marks, `the load threads of ${name}`);
    this.#markCount += marks;
    this.#window.clockErrorNs = Math.max(this.#window.clockErrorNs, clockErrorNs);
    if (parts === undefined) return;
    if (isByKernel(parts.lateMarks)) this.#byKernel.add(name);
    this.#agents.push(markedBy(parts.lateMarks, parts.blockedMarks));
    for (const edge of GAP_EDGES) this.#gaps.observed({ edge, cells: parts.gaps[edge] });
    this.#marked = {
      beyondKnown: latestOf(this.#agents.map(({ beyondKnown }) => beyondKnown)),
      beyondSleep: latestOf(this.#agents.map(({ beyondSleep }) => beyondSleep)),
    };
  }

  /** A processor quota throttled this client, or the agent of that name, for this part of `observedNs`. */
  throttled(throttledNs: number, observedNs: number, name = 'the client'): void {
    // A group with several processors counts each of them. NaN if it was not reported.
    const share = Math.min(1, throttledNs / observedNs);
    if (share > THROTTLED_PART_MAX && !this.#byKernel.has(name)) this.#throttled.set(name, share);
    else this.#throttled.delete(name);
  }

  /** Counts records, or messages of them, that never arrived. */
  lost(count: number): void {
    this.#lost += count;
  }

  issued(window: number, sentNs: number): void {
    this.#window.issued(window, sentNs);
  }

  completed(sample: EndedSample, figures: SampleFigures): void {
    const { lateness } = sample;
    this.#completed += 1;
    if (lateness === undefined) {
      this.#missing += 1;
      return;
    }
    for (const [key, lateOf] of LATE_OF) {
      const value = figures[key];
      if (value !== NO_FIGURE) this.#edges.get(key)?.[0].add(value, lateOf(lateness, sample));
    }
    this.#gaps.completed(sample, lateness);
    this.#window.completed(sample, lateness);
  }

  /** For the run as a whole, or why there is no bound. */
  ofRun(): Reported<RunBounds> {
    const reason = this.#whyNone();
    return reason === undefined ? { windowNs: this.#window.bound(this.#marksSoFar()) } : unknown(reason);
  }

  /** Exact: sorts. `measured` are the values of the series, ascending. */
  final(
    key: SeriesKey,
    measured: RankedValues,
    percentiles: readonly number[],
  ): SeriesErrorBound | undefined {
    return this.#bound(key, measured, percentiles, true);
  }

  /** From histograms, of a few percentiles. */
  live(key: SeriesKey, measured: RankedValues, percentiles: readonly number[]): SeriesErrorBound | undefined {
    const known = this.#reported.get(key);
    if (known !== undefined && known.left > 0) {
      known.left -= 1;
      return known.bound;
    }
    const bound = this.#bound(key, measured, percentiles, false);
    this.#reported.set(key, { bound, left: LIVE_REUSED });
    return bound;
  }

  #bound(
    key: SeriesKey,
    measured: RankedValues,
    percentiles: readonly number[],
    isExact: boolean,
  ): SeriesErrorBound | undefined {
    if (measured.length === 0 || this.#whyNone() !== undefined) return undefined;
    const marked = this.#marksSoFar();
    const bounds = key === 'chunkGapNs' ? this.#gaps : this.#edges.get(key)?.[0];
    if (bounds === undefined || bounds.count !== measured.length) return undefined;
    return {
      mean: roundedBound(bounds.mean(marked)),
      percentiles: boundPercentiles(measured, bounds.ways(marked, isExact), percentiles),
    };
  }

  #marksSoFar(): MarkedLateness {
    this.#marked ??= markedBy(
      this.#marks.map(({ latenessNs }) => latenessNs),
      this.#marks.map(({ blockedNs }) => blockedNs),
    );
    return this.#marked;
  }

  /** Timestamps are the kernel's. */
  get #isMarkless(): boolean {
    return isByKernel(this.#marks.map(({ latenessNs }) => latenessNs));
  }

  #whyNone(): string | undefined {
    if (this.#completed === 0) return 'no request completed';
    if (this.#lost > 0) return 'records of the client were lost';
    if (this.#missing > 0)
      return `${formatCount(this.#missing)} of ${counted(this.#completed, 'request')} have no record of how late their stamps may be`;
    if (this.#unheard !== undefined) return this.#unheard;
    // The kernel stamps what arrives and leaves whether or not this process may run.
    for (const [name, share] of this.#isMarkless ? [] : this.#throttled)
      return `a processor quota throttled ${name} for ${Math.round(share * 100)}% of the time, and it is not known which stamps it delayed`;
    if (this.#markCount < MARKS_MIN && this.#agents.length === 0 && !this.#isMarkless)
      return tooFewMarks(this.#markCount, 'the load threads');
    return undefined;
  }
}

interface BoundedAgent {
  readonly name: string;
  /** Error of the clock offset by which its samples were aligned. */
  readonly clockErrorNs: number;
}

type LateOf = (lateness: SampleLateness, sample: EndedSample) => TimeLate;

const fromSent =
  (stamp: 'firstByte' | 'firstContent' | 'end', isFromIntended: boolean): LateOf =>
  (late, sample) => {
    const sentNs = late.writeNs + (isFromIntended ? sendLatenessNs(sample) : 0);
    return {
      atNs: sample[`${stamp}Ns`],
      endNs: sentNs + late[`${stamp}LateNs`],
      endNsMax: sentNs + late[`${stamp}LateNsMax`],
      startNs: 0,
      startNsMax: 0,
      dividedBy: 1,
    };
  };

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

type MarkGroups = readonly (readonly number[])[];

/** Load threads whose timestamps are the kernel's report marks without figures. */
const isByKernel = (groups: MarkGroups): boolean =>
  groups.length > 0 && groups.every(({ length }) => length === 0);

const markedBy = (late: MarkGroups, blocked: MarkGroups): MarkedLateness => {
  const of = (groups: MarkGroups): Lateness =>
    isByKernel(groups) ? NO_LATENESS : new WakeLateness(groups.filter(({ length }) => length > 0));
  return { beyondKnown: of(late), beyondSleep: of(blocked) };
};

const isEmpty = ({ latenessNs }: MarksRecord): boolean => latenessNs.length === 0;

const tooFewMarks = (count: number, where: string): string =>
  count === 0
    ? `no mark reached ${where} over loopback`
    : `the run was too short: ${count} marks reached ${where}, and ${MARKS_MIN} say something of them`;

/** Fewer are no evidence about a tail. */
const MARKS_MIN = 20;
/** Some six hours of one load thread; the first of them represent the rest. */
const MARKS_MAX = 1_500_000;
/** A live view updates five times a second, and a bound once. */
const LIVE_REUSED = 4;
