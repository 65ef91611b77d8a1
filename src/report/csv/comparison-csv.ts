// The segments or runs of a comparison as CSV, one line each: those of A in their order, then those of B.

import type { ComparedUnit, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { showable } from '../../core/text/single-line.ts';
import { isKnown, knownOr } from '../../core/unknown.ts';
import { type CsvColumn, csvTable } from './csv-line.ts';

export const comparisonCsv = ({ a, b }: Pick<ComparisonDocument, 'a' | 'b'>): string =>
  csvTable(
    [
      { name: 'side', of: ({ side }) => side },
      ...COLUMNS.map(({ name, of }) => ({ name, of: ({ unit }: OfSide) => of(unit) })),
    ],
    [...a.units.map(unit => ({ side: 'a', unit })), ...b.units.map(unit => ({ side: 'b', unit }))],
  );

/** Of repeated runs, a line each. */
export const unitsCsv = (units: readonly ComparedUnit[]): string => csvTable(COLUMNS, units);

interface OfSide {
  readonly side: string;
  readonly unit: ComparedUnit;
}

/** "ttft.p90" as "ttft_p90_ns": the name contains the unit, which rates already have in theirs. */
const metricColumn = ({ name, unit }: (typeof COMPARISON_METRICS)[number]): CsvColumn<ComparedUnit> => ({
  name: unit === 'ns' ? `${name.replace('.', '_')}_ns` : `${name.replace('.rate', '')}_${RATE_UNITS[unit]}`,
  of: ({ figures }) => {
    const figure = figures[name];
    return figure !== undefined && isKnown(figure) ? figure : undefined;
  },
});

const RATE_UNITS = { 'req/s': 'per_second', 'tok/s': 'tokens_per_second' } as const;

const COLUMNS: readonly CsvColumn<ComparedUnit>[] = [
  { name: 'pair', of: ({ pair }) => pair?.number },
  { name: 'order', of: ({ pair }) => pair?.order },
  { name: 'seed', of: ({ pair }) => pair?.seed },
  { name: 'run', of: ({ runId }) => showable(runId, ' ') },
  { name: 'directory', of: ({ directory }) => showable(directory, ' ') },
  { name: 'started_at', of: ({ startedAt }) => showable(startedAt, ' ') },
  { name: 'issued', of: ({ issued }) => issued },
  { name: 'completed', of: ({ completed }) => completed },
  { name: 'failed', of: ({ failed }) => failed },
  { name: 'window_ns', of: ({ windowNs }) => knownOr(windowNs, undefined) },
  { name: 'client', of: ({ clientVerdict }) => clientVerdict },
  ...COMPARISON_METRICS.map(metricColumn),
];
