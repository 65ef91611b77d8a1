// Sessions whose history is stored by the server: what their turns show of it apart from the counts of prompt
// tokens. A reply without an id ends its session, because the next turn has nothing to refer to; and without
// token counts it cannot be checked what was stored.

import { counted, formatCount } from '../figure/figure.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import { ALL_RATES, ALL_TIMES, type ContaminationFinding } from './contamination.ts';
import { finding } from './contamination-check.ts';
import type { Report } from './report.ts';
import { shapeOf } from './run-shape.ts';

/** Turns that were never sent, because the reply before them had no id. */
export const turnsWithoutId = ({ sessions }: Pick<Report, 'sessions'>): number =>
  sessions?.skippedBecause['answer-not-kept'] ?? 0;

/** What a person must know first; undefined: every turn had an id to refer to. */
export const lostHistoryHeadline = (report: Pick<Report, 'sessions'>): string | undefined => {
  const lost = turnsWithoutId(report);
  return lost === 0
    ? undefined
    : `The server did not store the history: ${formatCount(lost)} of ${counted(report.sessions?.turns.planned ?? lost, 'turn')} not sent, because its replies have no id`;
};

/**
 * The report with the result for its sessions: a finding for replies without an id, a notice if nothing could
 * be checked.
 */
export const withLostHistory = (report: Report): Report => {
  const { sessions, contamination, notices } = report;
  const shape = shapeOf(report.run).sessions;
  if (sessions === undefined || isUnknown(shape) || shape.history !== 'server') return report;
  const later = sessions.byTurn.filter(({ turn, completed }) => turn > 0 && completed > 0);
  const isUnchecked = later.length > 0 && later.every(({ inputTokensMean }) => isUnknown(inputTokensMean));
  const lost = turnsWithoutId(report);
  const isFound = isKnown(contamination) && !contamination.some(({ code }) => code === HISTORY_LOST);
  return {
    ...report,
    ...(lost > 0 && isFound
      ? { contamination: [withoutId(lost, sessions.turns.planned), ...contamination] }
      : {}),
    ...(isUnchecked && !notices.includes(UNCHECKED) ? { notices: [...notices, UNCHECKED] } : {}),
  };
};

const withoutId = (count: number, of: number): ContaminationFinding =>
  finding(HISTORY_LOST, [...ALL_TIMES, ...ALL_RATES], {
    count,
    of,
    unit: 'turns',
    problem:
      'the server did not store the history of sessions: its replies have no id that a later turn can name',
    advice: 'Leave out --history server, so that each request contains its history.',
  });

const HISTORY_LOST = 'history-lost';
const UNCHECKED =
  'whether the server stored the history of sessions could not be checked: its replies have no token counts';
