// A figure as a tool answers it: never a bare number. And text of others, cut and without control characters.

import * as v from 'valibot';
import { singleLine } from '../../core/text/single-line.ts';
import type { Reported } from '../../core/unknown.ts';
import { isUnknown } from '../../core/unknown.ts';

export interface ToldFigure {
  /** null: not known, for the reason beside it. */
  readonly value: number | null;
  readonly unit: string;
  readonly ageSeconds: number | null;
  readonly method: string;
  readonly isStale: boolean;
  readonly reason: string;
}

export const toldFigureSchema: v.GenericSchema<unknown, ToldFigure> = v.pipe(
  v.object({
    value: v.nullable(v.number()),
    unit: v.string(),
    ageSeconds: v.nullable(v.number()),
    method: v.string(),
    isStale: v.boolean(),
    reason: v.string(),
  }),
  v.description('A figure with its unit, its age and how it was measured. Without a value: why not.'),
);

export interface FigureOrigin {
  readonly unit: string;
  readonly ageMs: number;
  readonly method: string;
  readonly isStale?: boolean;
}

export const toldFigure = (
  value: Reported<number> | undefined,
  { unit, ageMs, method, isStale = false }: FigureOrigin,
): ToldFigure => {
  if (value === undefined) return unknownFigure(unit, 'not measured yet');
  if (isUnknown(value)) return unknownFigure(unit, value.reason);
  const ageSeconds = Number.isFinite(ageMs) ? Math.round(ageMs / 100) / 10 : null;
  return { value: sixDigits(value), unit, ageSeconds, method: quoted(method), isStale, reason: '' };
};

export const unknownFigure = (unit: string, reason: string): ToldFigure => ({
  value: null,
  unit,
  ageSeconds: null,
  method: '',
  isStale: false,
  reason: quoted(reason),
});

/** Text that a stranger may have chosen. */
export const quoted = (text: string): string => singleLine(text).slice(0, QUOTED_LENGTH_MAX);

export const QUOTED_LENGTH_MAX = 200;

/** More than any of them has. */
export const sixDigits = (value: number): number => Number(value.toPrecision(6));
