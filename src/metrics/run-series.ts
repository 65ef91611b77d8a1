// The series of a run, METRICS §3: unit, and in which runs each makes sense. A series that cannot have a value in a run
// is not in its snapshots, so that an empty one means "none yet".

import type { RunPattern } from '../core/run/report.ts';
import { isOpenLoop } from './run-pattern.ts';
import type { SeriesOptions, SeriesSampler } from './series-sampler.ts';

/** The figures that one completed sample has at most one of. */
export const FIGURE_NAMES = [
  'latencyNs',
  'latencyFromIntendedNs',
  'ttftNs',
  'ttftFromIntendedNs',
  'firstAnswerNs',
  'tpotNs',
  'tokensPerChunk',
  'inputTokens',
  'outputTokens',
  'connectNs',
  'firstByteNs',
] as const;

export type FigureName = (typeof FIGURE_NAMES)[number];
export type SeriesName = FigureName | 'chunkGapNs' | 'sendLatenessNs';
export type RunSeries = Readonly<Partial<Record<SeriesName, SeriesSampler>>>;

export interface RunSeriesOptions {
  readonly pattern: RunPattern;
  readonly isStreaming: boolean;
}

export const runSeries = (
  { pattern, isStreaming }: RunSeriesOptions,
  series: (name: string, options: SeriesOptions) => SeriesSampler,
): RunSeries => {
  const made: Partial<Record<SeriesName, SeriesSampler>> = {};
  for (const { name, only, options } of SERIES) {
    const applies =
      (only !== 'streaming' || isStreaming) &&
      (only !== 'open loop' || isOpenLoop(pattern)) &&
      (only !== 'open loop, streaming' || (isStreaming && isOpenLoop(pattern)));
    if (applies) made[name] = series(name, options);
  }
  return made;
};

const LATENCY: SeriesOptions = { unit: 'ns', isFailureAdjusted: true };
const NANOSECONDS: SeriesOptions = { unit: 'ns' };
const TOKENS: SeriesOptions = { unit: 'tokens' };

const SERIES: readonly {
  readonly name: SeriesName;
  readonly only: 'all' | 'streaming' | 'open loop' | 'open loop, streaming';
  readonly options: SeriesOptions;
}[] = [
  { name: 'latencyNs', only: 'all', options: LATENCY },
  { name: 'latencyFromIntendedNs', only: 'open loop', options: LATENCY },
  { name: 'ttftNs', only: 'streaming', options: LATENCY },
  { name: 'ttftFromIntendedNs', only: 'open loop, streaming', options: LATENCY },
  { name: 'firstAnswerNs', only: 'streaming', options: NANOSECONDS },
  { name: 'tpotNs', only: 'streaming', options: LATENCY },
  { name: 'chunkGapNs', only: 'streaming', options: NANOSECONDS },
  { name: 'tokensPerChunk', only: 'streaming', options: { unit: 'ratio' } },
  { name: 'inputTokens', only: 'all', options: TOKENS },
  { name: 'outputTokens', only: 'all', options: TOKENS },
  { name: 'sendLatenessNs', only: 'all', options: NANOSECONDS },
  { name: 'connectNs', only: 'all', options: NANOSECONDS },
  { name: 'firstByteNs', only: 'all', options: NANOSECONDS },
];
