// What was measured before, from the daemon's journal: rows as points of figures. Old rows are sums of an hour, of which the
// median is taken; an attempt that failed is no point.

import { isUnknown } from '../../../src/core/unknown.ts';
import type { ProfileRow } from '../../../src/wire/api/history-answers.ts';
import { profileHistoryAnswerSchema } from '../../../src/wire/api/history-answers.ts';
import type { DaemonReply } from '../shell/ask-daemon.ts';
import { askDaemon } from '../shell/ask-daemon.ts';

export interface FigurePoint {
  /** On the daemon's wall clock, ms. */
  readonly atMs: number;
  /** By name; those that are known. */
  readonly figures: Readonly<Record<string, number>>;
}

/** After a failure it is asked again so long after, at the earliest, ms. */
export const HISTORY_RETRY_MS = 10_000;

/** That it could not be read is an answer of its own: an empty one would say that nothing was measured. */
export const askProfiles = async (
  query: Readonly<Record<string, string>>,
): Promise<DaemonReply<readonly ProfileRow[]>> => {
  const reply = await askDaemon(`/api/history?${new URLSearchParams(query)}`, profileHistoryAnswerSchema);
  return reply.kind === 'here' ? { kind: 'here', value: reply.value.rows } : reply;
};

export const figurePoints = (rows: readonly ProfileRow[], names: readonly string[]): readonly FigurePoint[] =>
  rows.flatMap(row => {
    const told = figuresOf(row);
    const figures = names.flatMap(name => {
      const value = told.get(name);
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
