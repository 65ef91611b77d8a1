// Earlier measurements as points of figures, from rows of /api/history. Old rows are sums of an hour, of
// which the median is taken; a failed attempt gives no point.

import { isUnknown } from '../../core/unknown.ts';
import type { ProfileRow } from './history-answers.ts';

export interface FigurePoint {
  /** On the daemon's wall clock, ms. */
  readonly atMs: number;
  /** By name; only known ones. */
  readonly figures: Readonly<Record<string, number>>;
}

export const figurePoints = (rows: readonly ProfileRow[], names: readonly string[]): readonly FigurePoint[] =>
  rows.flatMap(row => {
    const reported = figuresOf(row);
    const figures = names.flatMap(name => {
      const value = reported.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return figures.length === 0 ? [] : [{ atMs: row.atWallMs, figures: Object.fromEntries(figures) }];
  });

const figuresOf = ({ isHourly, record }: ProfileRow): ReadonlyMap<string, number> => {
  if (isHourly && 'figures' in record)
    return new Map(Object.entries(record.figures).map(([name, { median }]) => [name, median]));
  if (isHourly || !('payload' in record) || isUnknown(record.payload.failure)) return new Map();
  return new Map(
    Object.entries(record.payload).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, value] as const] : [],
    ),
  );
};
