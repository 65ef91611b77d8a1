// The sessions of a run in progress, for a terminal and the run page: a line, and the rows of two tables.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { counted, figureText, formatCount, formatFinePercent } from '../../core/figure/figure.ts';
import { LIVE_TURNS_MAX, type LiveSessions, type LiveTurns } from '../../core/run/live-sessions.ts';
import { hasEnoughFor } from '../../core/statistics/early-stopping.ts';
import { isUnknown } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';

export const liveSessionSection = (sessions: LiveSessions): Section => ({
  key: 'sessions',
  title: 'Sessions',
  note: 'so far',
  lead: [liveSessionLine(sessions)],
  tables: [
    {
      name: 'First turns and later ones',
      columns: ['turns', 'issued', 'failed', 'skipped', 'TTFT p50', 'TTFT p90', 'cached'],
      rows: liveTurnRows(sessions),
    },
    ...withRows({
      name: 'Sessions that run, by their newest turn',
      columns: ['newest turn', 'sessions', 'share'],
      rows: inTurnRows(sessions).map(({ turn, count, share }) => [
        `turn ${turn}`,
        formatCount(count),
        figureText(formatFinePercent(share)),
      ]),
    }),
  ],
  remarks: whyNoTtft(sessions),
});

/** "8 running · 30 completed · 1 failed · 3 turns skipped". */
export const liveSessionLine = (sessions: LiveSessions): string => {
  const { running, completed, failed, cut, first, later } = sessions;
  const skipped = first.skipped + later.skipped;
  return [
    `${formatCount(running)} running`,
    `${formatCount(completed)} completed`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(cut > 0 ? [`${formatCount(cut)} cut by the end of the run`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'turn')} skipped`] : []),
  ].join(' · ');
};

/**
 * Newest turn of the running sessions: its number from 1, how many are in it, and their share of all running
 * ones.
 */
export const inTurnRows = ({
  inTurn,
}: LiveSessions): readonly { readonly turn: string; readonly count: number; readonly share: number }[] => {
  const all = inTurn.reduce((sum, count) => sum + count, 0);
  return inTurn.map((count, at) => ({
    turn: `${at + 1}${at === LIVE_TURNS_MAX - 1 ? '+' : ''}`,
    count,
    share: all === 0 ? 0 : count / all,
  }));
};

/** A dash means that the value is unknown, or from too few samples. */
export const liveTurnRows = ({ first, later }: LiveSessions): readonly (readonly string[])[] => [
  ['first', ...cells(first)],
  ['later', ...cells(later)],
];

/** Why a dash is shown for a time to first token although turns were completed. */
const whyNoTtft = ({ first, later }: LiveSessions): readonly string[] =>
  [first, later]
    .flatMap(({ completed, ttftNs }) =>
      completed > 0 && isUnknown(ttftNs) ? [`TTFT by turn: ${ttftNs.reason}`] : [],
    )
    .slice(0, 1);

const cells = ({ ttftNs, cachedTokens, inputTokens, ...turns }: LiveTurns): readonly string[] => {
  const ttft = (key: 'p50' | 'p90'): string =>
    isUnknown(ttftNs) || !hasEnoughFor(Number(key.slice(1)), turns.completed)
      ? '–'
      : figureText(formatMeasuredNanoseconds(ttftNs[key]));
  return [
    ...[turns.issued, turns.failed, turns.skipped].map(formatCount),
    ttft('p50'),
    ttft('p90'),
    isUnknown(cachedTokens) || inputTokens === 0
      ? '–'
      : figureText(formatFinePercent(cachedTokens / inputTokens)),
  ];
};
