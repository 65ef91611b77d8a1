// The primary figure of each segment in the order the segments ran; it shows a drift that affects both sides
// equally.

import type { ComparedUnit, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { figureText } from '../../core/figure/figure.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { linearScale } from './linear-scale.ts';

interface StripPoint {
  readonly side: 'A' | 'B';
  readonly pair: number;
  readonly x: number;
  readonly y: number;
  readonly value: string;
}

export interface PairStrip {
  readonly label: string;
  readonly points: readonly StripPoint[];
  readonly ticks: readonly { readonly y: number; readonly label: string }[];
}

/** Undefined if no pair has the figure. */
export const pairStrip = (
  document: ComparisonDocument,
  box: { readonly left: number; readonly right: number; readonly top: number; readonly floor: number },
): PairStrip | undefined => {
  const primary = document.metrics.find(({ isPrimary }) => isPrimary);
  if (document.mode !== 'pairs' || primary === undefined) return undefined;
  const placed = [
    ...document.a.units.map(unit => ({ side: 'A' as const, unit })),
    ...document.b.units.map(unit => ({ side: 'B' as const, unit })),
  ]
    .flatMap(({ side, unit }) => {
      const value = unit.figures[primary.name];
      return typeof value === 'number' && unit.pair !== undefined
        ? [{ side, value, pair: unit.pair.number, order: orderOf(unit) }]
        : [];
    })
    .sort((one, other) => one.order - other.order);
  if (placed.length === 0) return undefined;
  const values = placed.map(({ value }) => value);
  const [least, most] = [minimumOf(values), maximumOf(values)];
  const room = (most - least || most) * 0.1;
  const y = linearScale([least - room, most + room], [box.floor, box.top], 3);
  const step = (box.right - box.left) / Math.max(1, placed.length);
  return {
    label: primary.label,
    points: placed.map(({ side, value, pair }, index) => ({
      side,
      pair,
      x: box.left + step * (index + 0.5),
      y: y.at(value),
      value: figureText(formatRunFigure(primary.unit, value)),
    })),
    ticks: y.ticks.map(value => ({
      y: y.at(value),
      label: figureText(formatRunFigure(primary.unit, value)),
    })),
  };
};

const orderOf = ({ pair }: ComparedUnit): number => (pair === undefined ? 0 : pair.number * 2 + pair.order);
