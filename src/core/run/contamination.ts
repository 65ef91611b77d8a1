// What spoils figures of a run although every request was answered: each finding with its count, the figures that it spoils,
// and what to do. A run with findings measured something, but not what its figures are called.

import { formatCount } from '../figure/figure.ts';
import { knownOr, type Reported } from '../unknown.ts';
import type { RateKey } from './run-rates.ts';
import type { SeriesKey } from './run-series.ts';

export type ContaminationFinding = {
  /** Also those that only another version knows. */
  readonly code: string;
  /** So many of so many: requests, tokens or readings, as `unit` says. `of` is 0 where they are of nothing. */
  readonly count: number;
  readonly of: number;
  readonly unit: string;
  /** Series and rates that do not mean what they are called. */
  readonly spoils: readonly string[];
  /** One sentence. */
  readonly problem: string;
  /** One sentence. */
  readonly advice: string;
};

/** A report. */
interface MaybeSpoiled {
  readonly contamination: Reported<readonly ContaminationFinding[]>;
}

export type SpoiledFigure = SeriesKey | RateKey;

/** Figures that are spoiled together. */
export const OF_PROMPT: readonly SpoiledFigure[] = [
  'ttftNs',
  'ttftFromIntendedNs',
  'firstByteNs',
  'inputTokensPerSecond',
  'totalTokensPerSecond',
];
export const OF_STREAM: readonly SpoiledFigure[] = [
  'ttftNs',
  'ttftFromIntendedNs',
  'tpotNs',
  'chunkGapNs',
  'perUserTokensPerSecond',
];
export const ALL_TIMES: readonly SpoiledFigure[] = [
  'ttftNs',
  'ttftFromIntendedNs',
  'tpotNs',
  'chunkGapNs',
  'latencyNs',
  'latencyFromIntendedNs',
];
export const ALL_RATES: readonly SpoiledFigure[] = [
  'requestsPerSecond',
  'outputTokensPerSecond',
  'inputTokensPerSecond',
  'totalTokensPerSecond',
];

const CONTAMINATION_CODES = [
  'answer-cache',
  'prefix-cache',
  'identical-prompts',
  'flat-ttft',
  'other-model',
  'error-in-200',
  'rate-limited',
  'overloaded',
  'short-answers',
  'one-chunk',
  'burst-chunks',
  'merged-chunks',
  'speculative-decoding',
  'other-clients',
  'preemption',
  'swap',
  'client-swap',
  'token-counts',
  'history-lost',
] as const;

export type ContaminationCode = (typeof CONTAMINATION_CODES)[number];

/** Empty where nothing was found; unknown where nobody looked: of an earlier version, or of a run from many machines. */
export const contaminationOf = (report: MaybeSpoiled): Reported<readonly ContaminationFinding[]> =>
  report.contamination;

/** Those that spoil one figure, to stand beside it. */
export const spoiling = (report: MaybeSpoiled, figure: SpoiledFigure): readonly ContaminationFinding[] =>
  knownOr(contaminationOf(report), []).filter(({ spoils }) => spoils.includes(figure));

/** Behind the name of a figure that does not mean what it is called. */
export const SPOILED_MARK = ' !';

/** One a finding: "12 of 400 requests: …. What to do." */
export const contaminationLines = (report: MaybeSpoiled): readonly string[] =>
  knownOr(contaminationOf(report), []).map(contaminationLine);

export const contaminationLine = (finding: ContaminationFinding): string =>
  `${finding.problem} (${countText(finding)}). ${finding.advice}`;

/** "12 of 400 requests". */
export const countText = ({ count, of, unit }: ContaminationFinding): string =>
  `${formatCount(count)}${of === 0 ? '' : ` of ${formatCount(of)}`} ${unit}`;
