// The columns of a table of stages, for terminals, Markdown, HTML and pages. CSV has columns of its own:
// programs read whole numbers with their units in the name.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { TOO_FEW } from '../run/percentile-text.ts';
import type { Section } from '../section.ts';
import {
  answersOffCurve,
  answerText,
  curveSeries,
  loadText,
  objectiveTitle,
  roundedNsText,
  shareText,
  stageResult,
} from './line-text.ts';
import { type PicturedStage, reportedTail } from './pictured-stage.ts';

interface StageColumn {
  readonly title: (stages: readonly PicturedStage[]) => string;
  /** "–" if unknown. */
  readonly cell: (stage: PicturedStage) => string;
  /** Text is aligned left in its column, figures right. */
  readonly isText: boolean;
}

export type StageColumnKey =
  | 'number'
  | 'load'
  | 'purpose'
  | 'result'
  | 'p50'
  | 'tail'
  | 'p99'
  | 'within'
  | 'requests'
  | 'tokens'
  | 'perUser'
  | 'growth'
  | 'issued'
  | 'failed'
  | 'time';

/** The percentile next to p50 and p99: the one that an objective limits, or p95. */
export const tailTitle = (stages: readonly PicturedStage[]): string =>
  `p${stages.find(({ curve }) => curve !== undefined)?.curve?.percentile ?? 95}`;

/** Columns for which a stage has a value: a table of dashes is useless. */
export const reportedColumns = (
  keys: readonly StageColumnKey[],
  stages: readonly PicturedStage[],
): readonly StageColumnKey[] =>
  keys.filter(key => ALWAYS.has(key) || stages.some(stage => STAGE_COLUMNS[key].cell(stage) !== NOT_KNOWN));

/** The stages in the order they ran, a row each. */
export const stageSection = (
  stages: readonly PicturedStage[],
  form: 'sweep' | 'line',
): Section & Required<Pick<Section, 'note' | 'tables'>> => {
  const keys = reportedColumns(COLUMNS[form], stages);
  const columns = keys.flatMap(key =>
    key === 'result' ? [STAGE_COLUMNS[key], ...objectiveColumns(stages)] : [STAGE_COLUMNS[key]],
  );
  return {
    key: 'stages',
    title: 'Stages',
    note: `in the order they ran; percentiles of ${seriesRow(curveSeries(stages)).shortLabel}`,
    tables: [
      {
        name: 'Stages',
        columns: columns.map(({ title }) => title(stages)),
        rows: stages.map(stage =>
          columns.map(each => {
            const text = each.cell(stage);
            return each === STAGE_COLUMNS.result ? { text, tone: stageResult(stage).tone } : text;
          }),
        ),
        texts: columns.flatMap(({ isText }, at) => (isText ? at : [])),
        leaving: LEAVING.flatMap(key => (keys.includes(key) ? [[columns.indexOf(STAGE_COLUMNS[key])]] : [])),
      },
    ],
  };
};

/** Of each objective that the percentiles do not show: "session p95". */
export const objectiveColumns = (stages: readonly PicturedStage[]): readonly StageColumn[] => {
  const series = curveSeries(stages);
  const answersOf = (stage: PicturedStage) => answersOffCurve(stage, series);
  const objectives = new Set(stages.flatMap(answersOf).map(({ objective }) => objective));
  return [...objectives].map(objective =>
    column(
      objectiveTitle({ objective }),
      stage => answersOf(stage).find(each => each.objective === objective),
      answer => answerText(answer) ?? `${NOT_KNOWN} ${TOO_FEW}`,
    ),
  );
};

/** A sweep is read for its figures, a line for what became of each load. */
const COLUMNS: Readonly<Record<'sweep' | 'line', readonly StageColumnKey[]>> = {
  sweep: [
    ...(['number', 'load', 'result', 'requests', 'tokens', 'perUser', 'growth'] as const),
    ...(['p50', 'tail', 'p99', 'within', 'failed', 'issued', 'time'] as const),
  ],
  line: [
    ...(['number', 'load', 'purpose', 'result', 'p50', 'tail', 'p99', 'within'] as const),
    ...(['requests', 'tokens', 'growth', 'failed', 'issued', 'time'] as const),
  ],
};

/** What a narrow terminal leaves out first; the load, its result and the judged percentile stay. */
const LEAVING: readonly StageColumnKey[] = [
  ...(['growth', 'perUser', 'p50', 'purpose', 'failed', 'time', 'p99'] as const),
  ...(['requests', 'issued', 'tokens', 'within'] as const),
];

export const NOT_KNOWN = '–';

const tailOf = (stage: PicturedStage, of: 'percentile' | 'p99'): string | undefined => {
  if (stage.curve === undefined) return undefined;
  const ns = reportedTail(stage, of);
  return ns === undefined ? `${NOT_KNOWN} ${TOO_FEW}` : roundedNsText(ns);
};

const column = <T>(
  title: string,
  of: (stage: PicturedStage) => T | undefined,
  text: (value: T) => string,
): StageColumn => ({
  title: () => title,
  cell: stage => {
    const value = of(stage);
    return value === undefined ? NOT_KNOWN : text(value);
  },
  isText: false,
});

const textColumn = (title: string, of: (stage: PicturedStage) => string): StageColumn => ({
  title: () => title,
  cell: of,
  isText: true,
});

export const STAGE_COLUMNS: Readonly<Record<StageColumnKey, StageColumn>> = {
  number: column('stage', ({ number }) => number, String),
  load: column('load', ({ load }) => load, loadText),
  purpose: textColumn('why', ({ purpose }) => purpose),
  result: textColumn('result', stage => stageResult(stage).label),
  p50: column('p50', ({ curve }) => curve?.p50, roundedNsText),
  tail: {
    ...column('', stage => tailOf(stage, 'percentile'), String),
    title: tailTitle,
  },
  p99: column('p99', stage => tailOf(stage, 'p99'), String),
  within: column('within', ({ attainment }) => attainment, shareText),
  requests: column('requests/s', ({ completedPerSecond }) => completedPerSecond, formatThreeDigits),
  tokens: column('tok/s', ({ outputTokensPerSecond }) => outputTokensPerSecond, formatThreeDigits),
  perUser: column('tok/s/user', ({ perUserTokensPerSecond }) => perUserTokensPerSecond, formatThreeDigits),
  growth: column(
    'growth/min',
    ({ growthPerMinute }) => growthPerMinute,
    value => formatCount(Math.round(value)),
  ),
  issued: column('n', stage => (isUncounted(stage) ? undefined : stage.issued), formatCount),
  failed: column('failed', ({ failed }) => failed, formatCount),
  time: column(
    'time',
    stage => (isUncounted(stage) ? undefined : stage.elapsedMs),
    elapsedMs => figureText(formatMeasuredNanoseconds(elapsedMs * 1e6)),
  ),
};

/** Its progress was not recorded. */
const isUncounted = ({ standing, elapsedMs }: PicturedStage): boolean =>
  standing === 'cut-off' && elapsedMs === 0;

/** The others are missing in every stage for endpoints without a stream, tokens or objectives for requests. */
const ALWAYS: ReadonlySet<StageColumnKey> = new Set([
  'number',
  'load',
  'purpose',
  'result',
  'issued',
  'time',
]);
