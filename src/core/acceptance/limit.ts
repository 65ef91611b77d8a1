// The limits that a figure is judged by: what was negotiated, what comparable parts of the same cluster measure, what the part
// itself measured in the last week, a person's plan. A plan replaces the others; otherwise every limit that is known counts.

import { formatNanoseconds } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import { FIGURE_UNITS, type FigureUnit } from '../figure/figure-row.ts';
import { lowerPercentile } from '../statistics/percentile.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { JudgedCheck, LimitSource } from './acceptance-document.ts';

/** What a check finds of one subject; its row adds the rest. */
export type Judged = Pick<
  JudgedCheck,
  'subject' | 'nodes' | 'result' | 'reason' | 'value' | 'limit' | 'from'
>;

/** What is judged: a part of the cluster, with the names of its nodes. */
export type Subject = Pick<Judged, 'subject' | 'nodes'>;

export interface Limit {
  readonly value: number;
  readonly from: Exclude<LimitSource, 'none'>;
  /** "90 % of the median of 16 comparable parts, 3.2 TB/s" */
  readonly text: string;
}

/** `min`: the figure must not be below its limit. */
export type LimitSide = 'min' | 'max';

interface JudgedFigure extends Subject {
  readonly value: Reported<number>;
  readonly side: LimitSide;
  readonly limits: readonly Limit[];
  /** Why there is nothing to compare with, where there is nothing. */
  readonly without: string;
}

/** By the limit that is broken furthest; else passed by the tightest one. */
export const judgedFigure = ({ subject, nodes, value, side, limits, without }: JudgedFigure): Judged => {
  const of = { subject, nodes, value };
  if (isUnknown(value)) return undecided(of, value.reason);
  const planned = limits.filter(({ from }) => from === 'plan');
  const [tightest] = (planned.length > 0 ? planned : limits).toSorted((a, b) =>
    side === 'min' ? b.value - a.value : a.value - b.value,
  );
  if (tightest === undefined) return undecided(of, without);
  const isBroken = side === 'min' ? value < tightest.value : value > tightest.value;
  return {
    ...of,
    result: isBroken ? 'fail' : 'pass',
    reason: tightest.text,
    limit: tightest.value,
    from: tightest.from,
  };
};

/** By a rule that needs no figure. */
export const judgedBy = (
  subject: Subject,
  result: 'pass' | 'fail',
  {
    reason,
    value = NO_FIGURE,
    limit = NO_FIGURE,
  }: Partial<Pick<Judged, 'value' | 'limit'>> & {
    readonly reason: string;
  },
): Judged => ({ ...subject, result, reason, value, limit, from: 'rule' });

export const undecided = (
  { subject, nodes, value = NO_FIGURE }: Subject & Partial<Pick<Judged, 'value'>>,
  reason: string,
): Judged => ({ subject, nodes, value, result: 'undecided', reason, limit: NO_FIGURE, from: 'none' });

export const planLimit = (value: number | undefined): readonly Limit[] =>
  value === undefined ? [] : [{ value, from: 'plan', text: 'the limit of the plan' }];

interface Comparison {
  readonly unit: FigureUnit;
  readonly side: LimitSide;
  /** How far sound parts differ at least, as a share of their median. */
  readonly variation: number;
  /** "devices" */
  readonly parts: string;
}

/**
 * From the median of comparable parts, the judged one among them; none if there are fewer than three. It widens with the
 * parts' own spread (four times the median absolute deviation, scaled as for a normal distribution), but never beyond twice
 * the usual variation: parts that are all different are no reference for one another.
 */
export const comparableLimit = (
  values: readonly number[],
  { unit, side, variation, parts }: Comparison,
): readonly Limit[] => {
  if (values.length < COMPARABLE_MIN) return [];
  const median = medianOf(values);
  if (median <= 0) return [];
  const spread = medianOf(values.map(value => Math.abs(value - median))) / median;
  const share = Math.min(2 * variation, Math.max(variation, SPREADS * NORMAL_SCALE * spread));
  const value = median * (side === 'min' ? 1 - share : 1 + share);
  const percent = Math.round((side === 'min' ? 1 - share : 1 + share) * 100);
  return [
    {
      value,
      from: 'comparable',
      text: `${percent} % of the median of ${values.length} comparable ${parts}, ${unitText(unit, median)}`,
    },
  ];
};

/** With its unit, as a person reads it. */
export const unitText = (unit: FigureUnit, value: number): string =>
  figureText(unit === 'ns' ? formatNanoseconds(value) : FIGURE_UNITS[unit].format(value));

export const medianOf = (values: readonly number[]): number =>
  lowerPercentile(
    values.toSorted((a, b) => a - b),
    50,
  );

const NO_FIGURE = unknown('no figure');
/** One of two parts is slower, and which one is as it should be is unknown. */
const COMPARABLE_MIN = 3;
const SPREADS = 4;
/** Median absolute deviation to standard deviation, of a normal distribution. */
const NORMAL_SCALE = 1.4826;
