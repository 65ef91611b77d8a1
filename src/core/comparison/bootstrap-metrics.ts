// Two finished runs, one each: every figure with the interval that its variation inside the two runs allows,
// by circular block bootstrap. It does not include the variation between runs of one server, so the strongest
// verdict is "different".

import type { Report } from '../run/report.ts';
import {
  COMPARED_SERIES,
  type ComparedSeriesKey,
  HEADLINE_PERCENTILES,
  RUN_SERIES,
} from '../run/run-series.ts';
import {
  drawnStarts,
  logRatioInterval,
  type RatioInterval,
  resampledPercentiles,
  resampledSums,
  slotAt,
  type TimeGrid,
  timeGrid,
} from '../statistics/block-bootstrap.ts';
import { lowerPercentile } from '../statistics/percentile.ts';
import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { ComparedMetric } from './comparison-document.ts';
import { COMPARISON_METRICS, requestedMetric } from './comparison-metrics.ts';
import type { ComparisonVerdict } from './judge-effect.ts';

interface TimedReport {
  readonly report: Report;
  /** Unknown if its requests could not be read. */
  readonly timed: TimedRun | Unknown;
}

interface BootstrapOptions {
  readonly primary: string;
  /** By the name of a metric, if it is not the default. */
  readonly margins: Readonly<Record<string, number>>;
  /** Default: RESAMPLES. */
  readonly resamples?: number;
}

export const bootstrapMetrics = (
  a: TimedReport,
  b: TimedReport,
  options: BootstrapOptions,
): readonly ComparedMetric[] => {
  const resamples = options.resamples ?? RESAMPLES;
  const drawn = [
    drawsOf(a.timed, { seed: SEED_A, resamples }),
    drawsOf(b.timed, { seed: SEED_B, resamples }),
  ];
  const [ofA = NO_DRAWS, ofB = NO_DRAWS] = drawn;
  return COMPARISON_METRICS.map(row => {
    const figures = { a: row.of(a.report), b: row.of(b.report) };
    const requested = requestedMetric(row, a.report.run.pattern, options.margins);
    const common = {
      ...requested,
      ...figures,
      isPrimary: row.name === options.primary,
      level: CONFIDENCE,
      count: 2,
      spread: RUNS_UNKNOWN,
      p: RUNS_UNKNOWN,
      adjustedP: RUNS_UNKNOWN,
      signFlipP: RUNS_UNKNOWN,
    };
    const ratio = ratioOf(figures, { a: ofA, b: ofB, name: row.name, confidence: CONFIDENCE });
    const sameInterval = ratioOf(figures, { a: ofA, b: ofB, name: row.name, confidence: SAME_CONFIDENCE });
    return { ...common, ratio, sameInterval, verdict: verdictOf(ratio, requested.marginShare) };
  });
};

/** At most "different": the interval excludes no change, and the change is large enough to matter. */
const verdictOf = (ratio: Reported<Estimate>, marginShare: number): ComparisonVerdict => {
  if (isUnknown(ratio)) return { kind: 'not-comparable', reason: ratio.reason };
  const isClear = ratio.low > 1 || ratio.high < 1;
  return isClear && Math.abs(Math.log(ratio.value)) > Math.log1p(marginShare)
    ? { kind: 'different' }
    : { kind: 'undecided', pairsToDecide: RUNS_UNKNOWN };
};

interface Draws {
  readonly blocks: number;
  /** By the name of a metric. */
  readonly figures: ReadonlyMap<string, Float64Array>;
  /** Why there are none. */
  readonly missing: Unknown | undefined;
}

const ratioOf = (
  figures: { readonly a: Reported<number>; readonly b: Reported<number> },
  sides: { readonly a: Draws; readonly b: Draws; readonly name: string; readonly confidence: number },
): Reported<Estimate> => {
  const { a, b } = figures;
  if (isUnknown(a)) return unknown(`A: ${a.reason}`);
  if (isUnknown(b)) return unknown(`B: ${b.reason}`);
  const { a: ofA, b: ofB, name, confidence } = sides;
  const missing = ofA.missing ?? ofB.missing;
  if (missing !== undefined) return missing;
  const [drawsA, drawsB] = [ofA.figures.get(name), ofB.figures.get(name)];
  if (drawsA === undefined || drawsB === undefined)
    return unknown('only requests are resampled, no whole sessions: compare several runs of each side');
  if (a <= 0 || b <= 0) return unknown('a figure of 0 has no ratio');
  const estimate = Math.log(b / a);
  const interval: RatioInterval | undefined = logRatioInterval({
    a: drawsA,
    b: drawsB,
    estimate,
    blocks: Math.min(ofA.blocks, ofB.blocks),
    confidence,
  });
  return interval === undefined
    ? unknown('too many requests failed to determine it')
    : { value: b / a, low: Math.exp(interval.low), high: Math.exp(interval.high) };
};

const drawsOf = (
  timed: TimedRun | Unknown,
  draw: { readonly seed: number; readonly resamples: number },
): Draws => {
  if (isUnknown(timed)) return { ...NO_DRAWS, missing: timed };
  const { fromNs, toNs, endNs, failedEndNs } = timed;
  const known = timed.series.latencyNs.filter(latency => !Number.isNaN(latency));
  if (known.length === 0) return { ...NO_DRAWS, missing: unknown('no request completed') };
  const blockNs = Math.max(BLOCK_NS_MIN, BLOCK_LATENCIES * lowerPercentile(known.sort(), 90));
  const grid = timeGrid({ fromNs, toNs, blockNs });
  if (grid.blocks < BLOCKS_MIN) return { ...NO_DRAWS, missing: tooShort(grid, blockNs) };
  const starts = drawnStarts(grid, draw);
  const slots = Uint32Array.from(endNs, at => slotAt(grid, at));
  const failed = perSlot(
    grid,
    Uint32Array.from(failedEndNs, at => slotAt(grid, at)),
    () => 1,
  );
  const sums = (of: (index: number) => number): Float64Array =>
    resampledSums(perSlot(grid, slots, of), grid, starts);
  const series = COMPARED_SERIES.flatMap(key => {
    const kept = withFigure(timed.series[key], slots);
    const drawn = resampledPercentiles({ ...kept, infinitePerSlot: failed }, PERCENTILES, { grid, starts });
    return HEADLINE_PERCENTILES.map(
      (percentile, index) =>
        [`${RUN_SERIES[key].compared}.p${percentile}`, drawn[index] ?? new Float64Array()] as const,
    );
  });
  return {
    blocks: grid.blocks,
    figures: new Map([
      ['requests.rate', sums(() => 1)],
      ['output.rate', sums(index => timed.outputTokens[index] ?? 0)],
      ['goodput.rate', sums(index => timed.good[index] ?? 0)],
      ...series,
    ]),
    missing: undefined,
  };
};

const tooShort = ({ blocks, spanNs }: TimeGrid, blockNs: number): Unknown =>
  unknown(
    `too short: ${Math.round(spanNs / 1e9)} s contain ${blocks} blocks of ${Math.ceil(blockNs / 1e9)} s, and ${BLOCKS_MIN} are needed`,
  );

const perSlot = ({ slots }: TimeGrid, slotOf: Uint32Array, of: (index: number) => number): Float64Array => {
  const into = new Float64Array(slots);
  for (const [index, slot] of slotOf.entries()) into[slot] = (into[slot] ?? 0) + of(index);
  return into;
};

const withFigure = (
  column: Float64Array,
  slots: Uint32Array,
): { readonly values: Float64Array; readonly slotOf: Uint32Array } => {
  const has = (index: number): boolean => !Number.isNaN(column[index] ?? Number.NaN);
  return {
    values: column.filter((_, index) => has(index)),
    slotOf: slots.filter((_, index) => has(index)),
  };
};

const NO_DRAWS: Draws = { blocks: 0, figures: new Map(), missing: unknown('nothing was drawn') };
const RUNS_UNKNOWN = unknown('one run each: how runs vary is not known');
const PERCENTILES = HEADLINE_PERCENTILES.map(Number);
const CONFIDENCE = 0.95;
const SAME_CONFIDENCE = 0.9;
const RESAMPLES = 2_000;
const SEED_A = 1;
const SEED_B = 2;
/** A block must be long against what ties requests together: the queue that they share. */
const BLOCK_NS_MIN = 10e9;
const BLOCK_LATENCIES = 5;
/** With fewer blocks, a run does not show how it varies. */
const BLOCKS_MIN = 20;

// The requests of one finished run in columns, each at the time of its end: what a comparison of two runs
// resamples.
export interface TimedRun {
  /** First send of the measured phase, and last end of a completed request, ns of the run's own clock. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Ends of completed requests; the columns below belong to them. NaN if a request has no such figure. */
  readonly endNs: Float64Array;
  readonly series: Readonly<Record<ComparedSeriesKey, Float64Array>>;
  readonly outputTokens: Float64Array;
  /** 1: it met every objective for requests, of which there may be none. */
  readonly good: Uint8Array;
  /** Ends of failed requests, which count as longer than any. */
  readonly failedEndNs: Float64Array;
}
