// What contaminates figures of a run although every request was answered: each finding with its count, the
// affected figures, and what to do. A run with findings measured something other than its figures claim.

import * as v from 'valibot';
import { formatCount } from '../figure/figure.ts';
import { figure, type Infer, openObject, text } from '../schema.ts';
import { knownOr, type Reported } from '../unknown.ts';
import type { RateKey } from './run-rates.ts';
import { type SeriesKey, seriesOf, seriesRow } from './run-series.ts';

const contaminationFindingSchema = openObject({
  /** May be a code that is only known to another version. */
  code: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  /**
   * This many of how many: requests, tokens or readings, as given in `unit`. `of` is 0 if there is no total.
   */
  count: figure,
  of: figure,
  unit: text,
  /** Series and rates that do not mean what their names claim. */
  spoils: v.pipe(v.array(v.pipe(v.string(), v.maxLength(128))), v.maxLength(64)),
  /** One sentence. */
  problem: text,
  /** One sentence. */
  advice: text,
});

export type ContaminationFinding = Infer<typeof contaminationFindingSchema>;

const FINDINGS_STORED_MAX = 64;

export const contaminationFindingsSchema = v.pipe(
  v.array(contaminationFindingSchema),
  v.maxLength(FINDINGS_STORED_MAX),
);

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
