// A comparison as text: the answer first, then each metric with its interval and verdict. One renderer for the terminal while it runs
// and afterwards, for comparison.txt, and for `plimsoll report`.

import type {
  ComparedMetric,
  ComparisonDocument,
  ComparisonSide,
} from '../../core/comparison/comparison-document.ts';
import {
  comparisonVerdictText,
  exactPercentText,
  rangeText,
  ratioText,
} from '../../core/comparison/comparison-labels.ts';
import { formatClock, formatMoment } from '../../core/figure/duration.ts';
import { counted } from '../../core/figure/figure.ts';
import { failedStopLines } from '../../core/run/failed-stop.ts';
import { nameLabel } from '../../core/run/run-shape.ts';
import { hangingLines } from '../../core/text/columns.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { type FactRow, factLines, type Section, type SectionCell, tableLines } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';

/** The final text. */
export const comparisonText = (document: ComparisonDocument, options: TextOptions): readonly string[] => {
  const { columns } = options;
  return [
    ...(document.stopped !== undefined
      ? [...failedStopLines(document.stopped, columns), '']
      : document.state === 'complete'
        ? []
        : [`${document.state}: results up to that point`.toUpperCase()]),
    ...hangingLines('', `${document.sentence}.`, columns),
    ...(document.endedEarly === undefined || document.stopped !== undefined
      ? []
      : hangingLines('', `${capitalized(document.endedEarly)}.`, columns)),
    '',
    `Comparison ${document.id} of ${formatMoment(document.startedAt)}, Plimsoll ${document.plimsoll.version}`,
    ...factLines(comparisonFacts(document), columns),
    ...refusals(document, columns),
    '',
    ...metricTable(document, columns),
    '',
    ...comparisonSection(document).remarks.flatMap(remark =>
      remark.startsWith('* ')
        ? hangingLines('* ', remark.slice(2), columns)
        : hangingLines('- ', remark, columns),
    ),
  ].map(line => shownLine(line, options));
};

export const comparisonFacts = (document: ComparisonDocument): readonly FactRow[] => {
  const name = nameLabel(document);
  return [
    ...(name === '' ? [] : [['name', name] as const]),
    ['A', sideText(document.a)],
    ['B', sideText(document.b)],
    ['load', document.load],
    ['unit', unitText(document)],
  ];
};

/** Each figure of A and B with its change, and below what decides and what is not comparable. */
export const comparisonSection = (
  document: ComparisonDocument,
): Section & Required<Pick<Section, 'remarks'>> => {
  const { metrics, mode, refusals, isAnyway, notices } = document;
  const isRefused = refusals.length > 0 && !isAnyway;
  const unit = mode === 'pairs' ? 'pairs' : 'runs';
  return {
    key: 'figures',
    title: 'Figures',
    note: `B / A, ${mode === 'pairs' ? 'over pairs' : mode === 'sets' ? 'over runs' : 'inside one run each'}`,
    tables: [
      {
        name: 'Figures of A and B',
        columns: [
          'figure',
          'A',
          'B',
          'change',
          `${exactPercentText(round(metrics[0]?.level ?? 0))} interval`,
          'margin',
          'p',
          'verdict',
        ],
        rows: metrics.map(metric => [
          `${capitalized(metric.label)}${metric.isPrimary ? ' *' : ''}`,
          figureOf(metric, metric.a),
          figureOf(metric, metric.b),
          isKnown(metric.ratio) ? ratioText(metric.ratio.value) : '–',
          isKnown(metric.ratio) ? rangeText(metric.ratio) : '–',
          `±${exactPercentText(metric.marginShare)}`,
          isKnown(metric.adjustedP) ? chanceText(metric.adjustedP) : '–',
          isRefused || metric.verdict.kind === 'not-comparable'
            ? 'not comparable'
            : comparisonVerdictText(metric.verdict, unit),
        ]),
        texts: [0, VERDICT],
        leaving: [[MARGIN], [CHANCE], [SIDE_A, SIDE_B]],
      },
    ],
    remarks: [...primaryRemark(document), ...incomparableFigures(metrics), ...notices],
  };
};

/** The figures as lines; the narrowest terminals lose the margin and the chance first. */
export const metricTable = (document: ComparisonDocument, columns: number): readonly string[] =>
  document.metrics.length === 0
    ? ['There are no metrics yet.']
    : (comparisonSection(document).tables ?? []).flatMap(table => tableLines(table, columns));

const primaryRemark = ({ metrics, mode }: ComparisonDocument): readonly string[] => {
  const primary = metrics.find(({ isPrimary }) => isPrimary);
  if (primary === undefined) return [];
  if (mode === 'runs') return ['* the primary metric, which decides the verdict.'];
  const flip =
    mode === 'pairs' && isKnown(primary.signFlipP)
      ? `; the exact sign flip of its pairs has p ${chanceText(primary.signFlipP)}, as a check`
      : '';
  return [
    `* the primary metric, which decides the verdict; chances of the others are corrected for multiple tests (Holm)${flip}.`,
  ];
};

/** One sentence per reason, with all metrics that it excludes. */
const incomparableFigures = (metrics: readonly ComparedMetric[]): readonly string[] => {
  const labels = new Map<string, string[]>();
  for (const { label, verdict } of metrics)
    if (verdict.kind === 'not-comparable')
      labels.set(verdict.reason, [...(labels.get(verdict.reason) ?? []), label]);
  return [...labels].map(([reason, of]) => `${of.join(', ')}: ${reason}`);
};

const refusals = (document: ComparisonDocument, columns: number): readonly string[] => {
  const reasons = refusalTexts(document);
  return reasons.length === 0
    ? []
    : [
        '',
        document.isAnyway ? 'Compared anyway, although' : 'Not comparable, because',
        ...reasons.flatMap(reason => hangingLines('  ', reason, columns)),
      ];
};

/** Each reason not to compare, with what both sides have. */
export const refusalTexts = ({ refusals }: ComparisonDocument): readonly string[] =>
  refusals.map(({ problem, a, b }) => `${problem} (A: ${a}; B: ${b})`);

const sideText = ({ label, target, model, serverKind, isStartedHere, units }: ComparisonSide): string => {
  const completed = units.reduce((sum, unit) => sum + unit.completed, 0);
  const failed = units.reduce((sum, unit) => sum + unit.failed, 0);
  const parts = [
    label,
    ...(isKnown(target) && target !== label ? [target] : []),
    ...(isUnknown(serverKind) ? [] : [serverKind]),
    ...(isUnknown(model) || model === label ? [] : [model]),
    ...(isStartedHere ? ['started for this'] : []),
    ...(units.length === 0 ? [] : [`${completed} completed${failed === 0 ? '' : `, ${failed} failed`}`]),
  ];
  return parts.join(', ');
};

const unitText = ({ mode, plan, a, b, looks }: ComparisonDocument): string => {
  if (mode === 'runs') return 'one finished run each: how much runs vary is not known';
  if (mode === 'sets') return `${a.units.length} and ${counted(b.units.length, 'run')}`;
  if (isUnknown(plan)) return counted(b.units.length, 'pair');
  const { segment, order } = plan;
  const planned = plan.looks.map(({ pairs }) => pairs).join(', ');
  const length =
    segment.sessions === undefined
      ? `${segment.requests === 0 ? '' : 'at least '}${formatClock(segment.durationMs)}`
      : counted(segment.sessions, 'session');
  return `pairs of segments of ${length} in the order ${order.slice(0, 8)}…; ${looks.at(-1)?.pairs ?? Math.min(a.units.length, b.units.length)} done, looks planned at ${planned}`;
};

const figureOf = ({ unit }: ComparedMetric, value: Reported<number>): SectionCell =>
  isKnown(value) ? formatRunFigure(unit, value) : '–';

/** "0.034", "< 0.001" */
const chanceText = (chance: number): string => (chance < 0.001 ? '< 0.001' : chance.toFixed(3));

const round = (share: number): number => Math.round(share * 1000) / 1000;

const SIDE_A = 1;
const SIDE_B = 2;
const MARGIN = 5;
const CHANCE = 6;
const VERDICT = 7;
