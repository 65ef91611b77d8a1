// Where the intervals of a comparison are drawn: change of B against A in per cent, one row per figure, with
// its margin as background and the units below.

import type { ComparedMetric, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonVerdictText, rangeText, ratioText } from '../../core/comparison/comparison-labels.ts';
import { maximumOf, minimumOf } from '../../core/extremes.ts';
import type { Figure } from '../../core/figure/figure.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { linearScale } from './linear-scale.ts';

export type RowTone = 'better' | 'worse' | 'same' | 'different' | 'undecided' | 'none';

/**
 * A verdict as a shape, so that colour is not the only sign: rising, falling, equal, crossed out, a wave.
 */
export const verdictSign = (tone: RowTone, x: number, y: number): string => {
  const bars = `M${x - 5} ${y - 2.5}h10M${x - 5} ${y + 2.5}h10`;
  const signs: Readonly<Record<RowTone, string>> = {
    better: `M${x - 5} ${y + 4}h10l-5 -8.5Z`,
    worse: `M${x - 5} ${y - 4}h10l-5 8.5Z`,
    same: bars,
    different: `${bars}M${x - 3} ${y + 6}l6 -12`,
    undecided: `M${x - 5} ${y}q2.5 -5 5 0t5 0`,
    none: '',
  };
  return signs[tone];
};

export interface ForestRow {
  readonly name: string;
  readonly label: string;
  readonly isPrimary: boolean;
  readonly a: Figure | undefined;
  readonly b: Figure | undefined;
  /** "+8.4 %"; '' if unknown. */
  readonly change: string;
  readonly range: string;
  readonly tone: RowTone;
  /** "better", "no difference seen", "too few". */
  readonly verdictLabel: string;
  /** What would decide, or why there is no verdict; otherwise ''. */
  readonly note: string;
  /** The row in one sentence. */
  readonly sentence: string;
  /** Undefined if the figure has no interval. */
  readonly interval: { readonly low: number; readonly high: number; readonly at: number } | undefined;
  readonly margin: { readonly low: number; readonly high: number };
  /** One per pair, clamped to the chart. */
  readonly units: readonly number[];
}

export interface Forest {
  readonly rows: readonly ForestRow[];
  readonly ticks: readonly { readonly at: number; readonly label: string; readonly isZero: boolean }[];
  readonly zero: number;
  /** Range of all that is drawn, per cent. */
  readonly domain: readonly [number, number];
}

export const forestOf = (
  document: ComparisonDocument,
  { left, right }: { readonly left: number; readonly right: number },
): Forest => {
  const isRefused = document.refusals.length > 0 && !document.isAnyway;
  const domain = domainOf(document.metrics);
  const scale = linearScale(domain, [left, right], right - left < 320 ? 4 : 8);
  const at = (ratio: number): number => Math.round(scale.at((ratio - 1) * 100) * 10) / 10;
  return {
    domain,
    zero: at(1),
    ticks: scale.ticks.map(percent => ({
      at: Math.round(scale.at(percent) * 10) / 10,
      label: percent === 0 ? '0' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}`,
      isZero: percent === 0,
    })),
    rows: document.metrics.map(metric => rowOf(metric, { document, at, isRefused })),
  };
};

const rowOf = (
  metric: ComparedMetric,
  {
    document,
    at,
    isRefused,
  }: {
    readonly document: ComparisonDocument;
    readonly at: (ratio: number) => number;
    readonly isRefused: boolean;
  },
): ForestRow => {
  const { ratio, marginShare } = metric;
  const { tone, verdictLabel, note } = verdictOf(metric, document, isRefused);
  const label = capitalized(metric.label);
  const [a, b] = [figureOf(metric, metric.a), figureOf(metric, metric.b)];
  const change = isKnown(ratio) ? ratioText(ratio.value) : '';
  const range = isKnown(ratio) ? rangeText(ratio) : '';
  const shown = (figure: Figure | undefined): string =>
    figure === undefined ? 'unknown' : `${figure.figure} ${figure.unit}`.trim();
  return {
    name: metric.name,
    label,
    isPrimary: metric.isPrimary,
    a,
    b,
    change,
    range,
    tone,
    verdictLabel,
    note,
    sentence: `${label}: A ${shown(a)}, B ${shown(b)}${range === '' ? '' : `, ${change}, between ${range}`}: ${verdictLabel}${note === '' ? '' : `, ${note}`}`,
    interval: isKnown(ratio) ? { low: at(ratio.low), high: at(ratio.high), at: at(ratio.value) } : undefined,
    margin: { low: at(1 / (1 + marginShare)), high: at(1 + marginShare) },
    units: unitRatios(metric.name, document).map(at),
  };
};

/** With one run per side, at most "differs" can be concluded, never "no difference". */
const verdictOf = (
  { verdict, ratio }: ComparedMetric,
  { mode }: ComparisonDocument,
  isRefused: boolean,
): { readonly tone: RowTone; readonly verdictLabel: string; readonly note: string } => {
  if (isRefused) return { tone: 'none', verdictLabel: 'not compared', note: '' };
  switch (verdict.kind) {
    case 'not-comparable':
      return {
        tone: 'none',
        verdictLabel: 'no interval',
        note: isUnknown(ratio) ? ratio.reason : verdict.reason,
      };
    case 'undecided':
      if (mode === 'runs') return { tone: 'undecided', verdictLabel: 'no difference seen', note: '' };
      return {
        tone: 'undecided',
        verdictLabel: 'undecided',
        note: isUnknown(verdict.pairsToDecide)
          ? ''
          : `about ${verdict.pairsToDecide} ${mode === 'pairs' ? 'pairs' : 'runs a side'} decide`,
      };
    case 'different':
      return { tone: 'different', verdictLabel: mode === 'runs' ? 'differs' : 'different', note: '' };
    case 'better':
    case 'worse':
    case 'same':
      return { tone: verdict.kind, verdictLabel: comparisonVerdictText(verdict, 'pairs'), note: '' };
    default:
      return verdict satisfies never;
  }
};

const figureOf = ({ unit }: ComparedMetric, value: Reported<number>): Figure | undefined =>
  isUnknown(value) ? undefined : formatRunFigure(unit, value);

/** B / A of each pair. */
const unitRatios = (name: string, { mode, a, b }: ComparisonDocument): readonly number[] =>
  mode === 'pairs'
    ? a.units.flatMap((unit, index) => {
        const [ofA, ofB] = [unit.figures[name], b.units[index]?.figures[name]];
        return typeof ofA === 'number' && typeof ofB === 'number' && ofA > 0 ? [ofB / ofA] : [];
      })
    : [];

/** Wide enough for every interval and margin, at least ±5 %, at most −75 to +300 %. */
const domainOf = (metrics: readonly ComparedMetric[]): [number, number] => {
  const lows = metrics.map(({ ratio, marginShare }) =>
    Math.min(isKnown(ratio) ? ratio.low : 1, 1 / (1 + marginShare)),
  );
  const highs = metrics.map(({ ratio, marginShare }) =>
    Math.max(isKnown(ratio) ? ratio.high : 1, 1 + marginShare),
  );
  const low = Math.max(LEAST, (minimumOf([1, ...lows]) - 1) * 100);
  const high = Math.min(MOST, (maximumOf([1, ...highs]) - 1) * 100);
  const room = (high - low) * 0.06;
  return [Math.min(-5, low - room), Math.max(5, high + room)];
};

const LEAST = -75;
const MOST = 300;
