// A run of sessions in every form of a report: lines, and the rows of two tables.

import { counted, figureText, formatCount, formatFinePercent } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { SESSIONS_FOLLOWED_MAX } from '../../core/run/session-follower.ts';
import type { SkipReason } from '../../core/run/session-outcome.ts';
import type { SessionReport } from '../../core/run/session-report.ts';
import type { SpreadFigures } from '../../core/statistics/bounded-spread.ts';
import { hasEnoughFor } from '../../core/statistics/early-stopping.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';
import { uncachedTables } from './prefix-cache-rows.ts';
import { spreadTail, spreadTime } from './spread-text.ts';

export const sessionSection = ({ sessions }: Pick<Report, 'sessions'>): Section | undefined =>
  sessions === undefined
    ? undefined
    : {
        key: 'sessions',
        title: 'Sessions',
        note: 'by the position of a turn in its session; cached is of the prompt tokens as the server counts them',
        lead: sessionLines(sessions),
        tables: [
          { name: 'Turns', columns: TURN_COLUMNS, rows: turnRows(sessions) },
          ...uncachedTables(sessions.byUncached),
        ],
      };

/** "76 sessions begun: 75 completed, 1 failed, 0 cut by the end of the run". */
const sessionLines = (report: SessionReport): readonly string[] => {
  const { sessions, turns, skippedBecause, durationNs, cachedShare } = report;
  const reasons = Object.entries(SKIP_LABELS).flatMap(([reason, label]) => {
    const count = isSkipReason(reason) ? skippedBecause[reason] : undefined;
    return count === undefined ? [] : [`${formatCount(count)} ${label}`];
  });
  return [
    `${counted(sessions.begun, 'session')} begun: ${formatCount(sessions.completed)} completed, ${formatCount(sessions.failed)} failed, ${formatCount(sessions.cut)} cut by the end of the run`,
    `${counted(turns.planned, 'turn')} planned: ${formatCount(turns.issued)} issued, ${formatCount(turns.skipped)} skipped${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}${turns.unresolved === 0 ? '' : `, ${formatCount(turns.unresolved)} unresolved`}`,
    ...(turns.unfollowed === undefined
      ? []
      : [
          `${counted(turns.unfollowed, 'turn')} of sessions above the limit of ${formatCount(SESSIONS_FOLLOWED_MAX)} at a time are not in the figures of sessions`,
        ]),
    isUnknown(durationNs)
      ? `Duration of a session unknown: ${durationNs.reason}`
      : `A completed session took ${times(durationNs, sessions.completed)}`,
    isUnknown(cachedShare)
      ? `Share of prompt tokens from the cache unknown: ${cachedShare.reason}`
      : `${percent(cachedShare)} of the server's prompt tokens came from its cache`,
  ];
};

const TURN_COLUMNS: readonly string[] = [
  'Turn',
  'Issued',
  'Failed',
  'Skipped',
  'TTFT p50',
  'TTFT p90',
  'Latency p50',
  'Input tokens',
  'Cached',
];

const turnRows = ({ byTurn }: SessionReport): readonly (readonly string[])[] =>
  byTurn.map(row => [
    `${row.turn + 1}${row.isLast ? '+' : ''}`,
    formatCount(row.issued),
    formatCount(row.failed),
    formatCount(row.skipped),
    spreadTime(row.ttftNs, 'p50'),
    spreadTail(row.ttftNs, row.completed),
    spreadTime(row.latencyNs, 'p50'),
    isUnknown(row.inputTokensMean) ? '–' : formatCount(Math.round(row.inputTokensMean)),
    isUnknown(row.cachedShare) ? '–' : percent(row.cachedShare),
  ]);

const isSkipReason = (text: string): text is SkipReason => Object.hasOwn(SKIP_LABELS, text);

const times = (figures: SpreadFigures, count: number): string =>
  hasEnoughFor(90, count)
    ? `${spreadTime(figures, 'p50')}, ${spreadTime(figures, 'p90')}, ${spreadTime(figures, 'max')} (p50, p90, most)`
    : `${spreadTime(figures, 'p50')}, ${spreadTime(figures, 'max')} (p50, most)`;

const percent = (share: number): string => figureText(formatFinePercent(share));

const SKIP_LABELS: Readonly<Record<SkipReason, string>> = {
  'turn-failed': 'after a turn that failed',
  'answer-too-long': 'after an answer that was too long to store',
  'run-ended': 'when the run ended',
  'answer-not-kept': 'after an answer without an id to continue from',
};
