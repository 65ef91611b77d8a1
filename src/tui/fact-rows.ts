// A reading as rows of a page: its value, or why there is none; a stale one is marked and keeps its last value.

import { formatAge } from '../core/figure/duration.ts';
import { figureText } from '../core/figure/figure.ts';
import type { ReadingView } from '../core/node/reading-view.ts';
import type { Row } from './layout.ts';
import { type Line, type Part, part, unknownFact } from './part.ts';

/** How old a reading is, and that it is stale. */
const agePart = (view: ReadingView<unknown>): Part | undefined => {
  switch (view.kind) {
    case 'current':
      return part(figureText(formatAge(view.ageMs)), 'dim');
    case 'stale':
      return part(figureText(formatAge(view.ageMs)), 'caution');
    default:
      return undefined;
  }
};

export const factRows = <T>(
  label: string,
  view: ReadingView<T>,
  facts: (value: T, ageMs: number) => readonly (readonly Line[])[],
): readonly Row[] => {
  switch (view.kind) {
    case 'waiting':
      return [{ label, facts: [[part('measuring', 'dim')]], age: undefined }];
    case 'absent':
      return [{ label, facts: [[part(`none: ${view.reason}`, 'dim')]], age: undefined }];
    case 'unavailable':
      return [{ label, facts: [unknownFact({ kind: 'unknown', reason: view.reason })], age: undefined }];
    case 'current':
    case 'stale':
      return facts(view.value, view.ageMs).map((row, index) => ({
        label: index === 0 ? label : '',
        facts: index === 0 && view.kind === 'stale' ? [staleFact(view.reason), ...row] : row,
        age: index === 0 ? agePart(view) : undefined,
      }));
    default:
      return view satisfies never;
  }
};

const staleFact = (reason: string): Line => [part(`stale: ${reason}`, 'caution')];

/** A row for each item, as many as a screen takes. */
export const listFacts = <T>(
  items: readonly T[],
  facts: (item: T) => readonly Line[],
  none: string,
): readonly (readonly Line[])[] => {
  const rows = items.map(facts).filter(row => row.length > 0);
  if (rows.length === 0) return [[[part(none, 'dim')]]];
  if (rows.length <= ROWS_MAX) return rows;
  return [...rows.slice(0, ROWS_MAX - 1), [[part(`and ${rows.length - ROWS_MAX + 1} more`, 'dim')]]];
};

/** One screen: of very many interfaces or volumes only the first are shown. */
const ROWS_MAX = 8;
