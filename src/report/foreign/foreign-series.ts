// What the other tools compute for each completed request, by their own definitions, if they agree on one: latency
// ends with the last content, and the time between tokens is the remainder after the first, over the tokens less one.

import { type EndedSample, lastContentNs, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { Report } from '../../core/run/report.ts';
import { linearPercentile, placedArray } from '../../core/statistics/percentile.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { SeenIds } from '../../metrics/seen-ids.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';

/** Nanoseconds and tokens; undefined if the sample has none. */
export interface ForeignFigures {
  readonly latencyNs: number;
  readonly ttftNs: number | undefined;
  /** Second content chunk − first. */
  readonly secondTokenNs: number | undefined;
  readonly perTokenNs: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export const foreignFigures = (sample: EndedSample): ForeignFigures => {
  const { sentNs, firstContentNs } = sample;
  const latencyNs = lastContentNs(sample) - sentNs;
  const ttftNs = known(firstContentNs) === undefined ? undefined : firstContentNs - sentNs;
  const outputTokens = known(sample.outputTokens);
  return {
    latencyNs,
    ttftNs,
    secondTokenNs: sample.chunkGapsNs[0],
    perTokenNs:
      ttftNs === undefined || outputTokens === undefined || outputTokens < 2
        ? undefined
        : (latencyNs - ttftNs) / (outputTokens - 1),
    inputTokens: known(sample.inputTokens),
    outputTokens,
  };
};

const known = (figure: number): number | undefined => (figure === NO_FIGURE ? undefined : figure);

/** Totals over the completed requests of a run, added one by one. */
export class ForeignTotals {
  readonly latencyNs: RawValues = new RawValues();
  readonly ttftNs: RawValues = new RawValues();
  readonly secondTokenNs: RawValues = new RawValues();
  readonly perTokenNs: RawValues = new RawValues();
  readonly inputTokens: RawValues = new RawValues();
  readonly outputTokens: RawValues = new RawValues();
  readonly startsNs: RawValues = new RawValues();
  readonly endsNs: RawValues = new RawValues();
  completed = 0;
  failed = 0;
  /** Over all that were sent. */
  firstSentNs: number = Number.POSITIVE_INFINITY;
  lastEndNs = 0;

  add(sample: EndedSample): ForeignFigures | undefined {
    this.firstSentNs = Math.min(this.firstSentNs, sample.sentNs);
    this.lastEndNs = Math.max(this.lastEndNs, sample.endNs);
    if (sample.outcome === 'failed') this.failed += 1;
    if (sample.outcome !== 'completed') return undefined;
    const figures = foreignFigures(sample);
    this.completed += 1;
    this.latencyNs.add(figures.latencyNs);
    this.startsNs.add(sample.sentNs);
    this.endsNs.add(sample.sentNs + figures.latencyNs);
    for (const key of PARTIAL_KEYS) {
      const figure = figures[key];
      if (figure !== undefined) this[key].add(figure);
    }
    return figures;
  }

  /** undefined if the server did not report them for every request: a partial sum would look like a complete one. */
  tokens(key: 'inputTokens' | 'outputTokens'): number | undefined {
    if (this[key].length < this.completed) return undefined;
    let sum = 0;
    for (const tokens of this[key].inOrder()) sum += tokens;
    return sum;
  }
}

const PARTIAL_KEYS = ['ttftNs', 'secondTokenNs', 'perTokenNs', 'inputTokens', 'outputTokens'] as const;

// The measured samples of a run for the formats of other tools, read from samples.jsonl line by line: a run of millions is
// never whole in memory. Each sample once, and only those whose stamps agree.

/** The measured samples from the first on, each time it is called. */
export type SampleReading = () => AsyncIterable<EndedSample>;

/** A run of several. */
export interface SampledRun {
  readonly report: Report;
  readonly samples: SampleReading;
}

/** In the order in which they ended. @throws the system's error */
export async function* measuredSamples(samplesPath: string): AsyncGenerator<EndedSample, void, void> {
  for await (const sample of storedSamples(samplesPath)) if (sample.window !== OUTSIDE_WINDOWS) yield sample;
}

/** The same with those of the warm-up. @throws the system's error */
export async function* storedSamples(samplesPath: string): AsyncGenerator<EndedSample, void, void> {
  const seen = new SeenIds();
  for await (const line of fileLines(samplesPath, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
    if (decoded?.kind !== 'sample') continue;
    const { sample } = decoded;
    if (!seen.add(sample.sampleId)) continue;
    if (sample.outcome === 'completed' && sampleFigures(sample, true) === undefined) continue;
    yield sample;
  }
}

// The maximum number of requests in progress at one moment.

/** An end at the moment of a start comes before it. @param starts ascending @param ends ascending, in the same unit */
export const peakConcurrency = (starts: Float64Array, ends: Float64Array): number => {
  let ended = 0;
  let most = 0;
  for (const [started, start] of starts.entries()) {
    while (ended < ends.length && (ends[ended] ?? 0) <= start) ended += 1;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
};

// A series summarised as in the Python tools of this field, with NumPy's defaults: percentiles interpolated between
// the two nearest values, and the standard deviation of a population. Ours (METRICS §5) take the lower value, and n −
// 1.

/** A figure by the name that another tool gives it; a number is a percentile. */
export type NamedStatistic = readonly [name: string, statistic: 'mean' | 'stdDev' | number];

/** undefined without values. @param divisor from the unit of the values to that of the result */
export const namedSummary = (
  values: RawValues,
  divisor: number,
  names: readonly NamedStatistic[],
): Readonly<Record<string, number>> | undefined => {
  const sorted = values.sorted();
  const count = sorted.length;
  if (count === 0) return undefined;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const figures = { mean, stdDev: Math.sqrt(squares / count) };
  return Object.fromEntries(
    names.map(([name, of]) => {
      const figure = typeof of === 'string' ? figures[of] : (linearPercentile(placedArray(sorted), of) ?? 0);
      return [name, figure / divisor];
    }),
  );
};
