// A sweep as text: one table of its stages, and one chart of what they say. Pure, for a terminal and for sweep.txt alike.

import { formatMeasuredNanoseconds } from '../core/figure/duration.ts';
import { figureText, formatCount, formatThreeDigits } from '../core/figure/figure.ts';
import type { Stage, StageCurve, StageFigures, StageVerdict } from '../core/sweep/stage.ts';
import { loadText } from '../core/sweep/stage-load.ts';
import type { SweepDocument } from '../core/sweep/sweep-document.ts';
import { inColumns, padded, paddedStart, textWidth } from '../core/text/columns.ts';
import { showable } from '../core/text/single-line.ts';
import type { Reported } from '../core/unknown.ts';
import { isKnown, isUnknown, knownOr } from '../core/unknown.ts';

export interface SweepTextOptions {
  /** false: only ASCII. */
  readonly isUnicode: boolean;
}

export const renderSweep = (document: SweepDocument, { isUnicode }: SweepTextOptions): readonly string[] => {
  const { stages, endedEarly } = document;
  const lines = [
    ...head(document),
    '',
    ...(stages.length === 0 ? ['No stage has begun.'] : stageTable(stages)),
    ...stageChart(stages),
    ...(endedEarly === undefined ? [] : ['', `It ended early: ${endedEarly}.`]),
  ];
  return lines.map(line => {
    const text = showable(line, '?');
    return isUnicode
      ? text
      : text
          .replaceAll('█', '#')
          .replaceAll(/[▏▎▍▌▋▊▉]/g, '.')
          .replaceAll(/[^\x20-\x7e]/g, '-');
  });
};

/** One line, as a stage ends. */
export const stageLine = (stage: Stage): string =>
  showable(`stage ${stage.number}  ${cellsOf(stage).join('  ')}${reasonOf(stage)}`, '?');

const head = (document: SweepDocument): readonly string[] => [
  `Sweep ${document.id} of ${document.startedAt}, Plimsoll ${document.plimsoll.version}`,
  ...inColumns([
    ...(isKnown(document.name) ? [['name', document.name]] : []),
    ['target', `${document.target}${isKnown(document.serverKind) ? `, ${document.serverKind}` : ''}`],
    ['model', isUnknown(document.model) ? `unknown: ${document.model.reason}` : document.model],
    ['prompts', document.dataset],
    [
      'objectives',
      document.objectives.length === 0
        ? 'none'
        : `${document.objectives.join(', ')}; of single requests ${(document.attainment * 100).toFixed(1)}% must meet them`,
    ],
  ]),
];

const HEADER = ['load', 'verdict', 'req/s', 'output tok/s', 'tok/s per user', 'p50', 'p95', 'p99', 'failed'];

const stageTable = (stages: readonly Stage[]): readonly string[] => {
  const curve = stages.map(curveOf).find(one => one !== undefined);
  return [
    ...(curve === undefined ? [] : [`Percentiles are of ${SERIES_WORDS[curve.series]}.`]),
    ...inColumns([headerOf(curve), ...stages.map(cellsOf)], { hasFigures: true }),
    ...stages.flatMap(stage => {
      // That the client was the limit says nothing without what it was that held it up.
      const reasons = stage.reasons.slice(0, stage.verdict === 'client-bound' ? 2 : 1);
      return reasons.length === 0 ? [] : [`  ${loadText(stage.load)}: ${reasons.join('; ')}`];
    }),
  ];
};

const headerOf = (curve: StageCurve | undefined): readonly string[] =>
  HEADER.map(name => (name === 'p95' && curve !== undefined ? `p${curve.percentile}` : name));

const cellsOf = (stage: Stage): readonly string[] => {
  const { figures } = stage;
  const curve = curveOf(stage);
  const time = (value: number | undefined): string =>
    value === undefined ? '–' : figureText(formatMeasuredNanoseconds(value));
  return [
    loadText(stage.load),
    verdictText(stage),
    rate(figures, 'completedPerSecond'),
    rate(figures, 'outputTokensPerSecond'),
    rate(figures, 'perUserTokensPerSecond'),
    time(curve?.p50),
    time(curve?.atPercentile),
    time(curve?.p99),
    isUnknown(figures) ? '–' : formatCount(figures.failed),
  ];
};

/** Bars of the same stages: what all users got together, and how long one waited. */
const stageChart = (stages: readonly Stage[]): readonly string[] => {
  const rows = stages.flatMap(stage => {
    const curve = curveOf(stage);
    return curve === undefined || isUnknown(stage.figures) ? [] : [{ stage, curve, figures: stage.figures }];
  });
  if (rows.length === 0) return [];
  const hasTokens = rows.every(({ figures }) => isKnown(figures.outputTokensPerSecond));
  const amountOf = (figures: StageFigures): number =>
    knownOr(hasTokens ? figures.outputTokensPerSecond : figures.completedPerSecond, 0);
  const most = Math.max(...rows.map(({ figures }) => amountOf(figures)));
  const longest = Math.max(...rows.map(({ curve }) => curve.atPercentile));
  const loadColumns = Math.max(...rows.map(({ stage }) => textWidth(loadText(stage.load))));
  const [first] = rows;
  const left = hasTokens ? 'output tokens/s' : 'requests/s';
  const right = `${SERIES_WORDS[first?.curve.series ?? 'ttftNs']} p${first?.curve.percentile ?? ''}`;
  return [
    '',
    `  ${padded('', loadColumns)}  ${padded(left, BAR_COLUMNS + FIGURE_COLUMNS)}  ${right}`,
    ...rows.map(({ stage, curve, figures }) => {
      const amount = amountOf(figures);
      const time = figureText(formatMeasuredNanoseconds(curve.atPercentile));
      return [
        `  ${paddedStart(loadText(stage.load), loadColumns)}`,
        padded(`${barOf(amount / most)} ${formatThreeDigits(amount)}`, BAR_COLUMNS + FIGURE_COLUMNS),
        `${barOf(curve.atPercentile / longest)} ${time}${stage.verdict === 'over-capacity' ? ', and growing' : ''}`,
      ].join('  ');
    }),
  ];
};

const rate = (
  figures: Reported<StageFigures>,
  key: 'completedPerSecond' | 'outputTokensPerSecond' | 'perUserTokensPerSecond',
): string => {
  const value = isUnknown(figures) ? undefined : knownOr(figures[key], undefined);
  return value === undefined ? '–' : formatThreeDigits(value);
};

const curveOf = ({ figures }: Stage): StageCurve | undefined =>
  isUnknown(figures) ? undefined : knownOr(figures.curve, undefined);

const verdictText = ({ verdict, state, load, figures }: Stage): string => {
  if (isUnknown(verdict)) return state;
  // Without an objective a queue can be stable, and a closed loop has none.
  if (verdict !== 'held' || isUnknown(figures) || figures.objectives.length > 0)
    return VERDICT_WORDS[verdict];
  return load.kind === 'rate' ? 'stable' : '–';
};

const reasonOf = ({ reasons: [reason] }: Stage): string => (reason === undefined ? '' : `  ${reason}`);

/** In eighths of a character; whatever is not nothing shows something. */
const barOf = (share: number): string => {
  const eighths = share > 0 ? Math.max(1, Math.round(share * BAR_COLUMNS * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};

const VERDICT_WORDS: Readonly<Record<StageVerdict, string>> = {
  held: 'holds',
  missed: 'missed',
  'over-capacity': 'over capacity',
  undecided: 'undecided',
  'client-bound': 'client-bound',
  stopped: 'stopped',
  broken: 'broken',
};

const SERIES_WORDS: Readonly<Record<StageCurve['series'], string>> = {
  ttftNs: 'TTFT',
  ttftFromIntendedNs: 'TTFT from intended',
  tpotNs: 'TPOT',
  latencyNs: 'latency',
  latencyFromIntendedNs: 'latency from intended',
};

const BAR_COLUMNS = 24;
const FIGURE_COLUMNS = 8;
const EIGHTHS: readonly string[] = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
