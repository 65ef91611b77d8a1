// What contaminates figures of a run although every request was answered: each finding with its count, the
// affected figures, and what to do. A run with findings measured something other than its figures claim.

import { formatCount } from '../figure/figure.ts';
import { knownOr, type Reported } from '../unknown.ts';
import type { RateKey } from './run-rates.ts';
import { type SeriesKey, seriesOf, seriesRow } from './run-series.ts';

export type ContaminationFinding = {
  /** May be a code that is only known to another version. */
  readonly code: string;
  /**
   * This many of how many: requests, tokens or readings, as given in `unit`. `of` is 0 if there is no total.
   */
  readonly count: number;
  readonly of: number;
  readonly unit: string;
  /** Series and rates that do not mean what their names claim. */
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

/** Figures that are affected together. */
export const OF_PROMPT: readonly SpoiledFigure[] = [
  'ttftNs',
  'ttftFromIntendedNs',
  'firstByteNs',
  'inputTokensPerSecond',
  'totalTokensPerSecond',
];
/** Of requests, by which people compare endpoints. */
export const ALL_TIMES: readonly SeriesKey[] = seriesOf('headline', 'detail').filter(
  key => seriesRow(key).unit === 'ns' && seriesRow(key).per !== 'issued request',
);
export const OF_STREAM: readonly SpoiledFigure[] = [
  ...ALL_TIMES.filter(key => seriesRow(key).runs.startsWith('streamed')),
  'perUserTokensPerSecond',
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

/** Empty if nothing was found; unknown if the checks did not run, as with load from many machines. */
export const contaminationOf = (report: MaybeSpoiled): Reported<readonly ContaminationFinding[]> =>
  report.contamination;

/** Findings that affect one figure, to be shown next to it. */
export const spoiling = (report: MaybeSpoiled, figure: SpoiledFigure): readonly ContaminationFinding[] =>
  knownOr(contaminationOf(report), []).filter(({ spoils }) => spoils.includes(figure));

/** Suffix of a figure's name if it does not mean what the name claims. */
export const SPOILED_MARK = ' !';

/** One line per finding: "12 of 400 requests: …. What to do." */
export const contaminationLines = (report: MaybeSpoiled): readonly string[] =>
  knownOr(contaminationOf(report), []).map(contaminationLine);

export const contaminationLine = (finding: ContaminationFinding): string =>
  `${finding.problem} (${countText(finding)}). ${finding.advice}`;

/** "12 of 400 requests". */
export const countText = ({ count, of, unit }: ContaminationFinding): string =>
  `${formatCount(count)}${of === 0 ? '' : ` of ${formatCount(of)}`} ${unit}`;
