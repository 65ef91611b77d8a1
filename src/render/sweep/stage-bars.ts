// The chart of a sweep as text: two bars per stage, the total output of all users, and how long one waited.

import { maximumOf } from '../../core/extremes.ts';
import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { padded, paddedStart, textWidth } from '../../core/text/columns.ts';
import { curveSeries, loadText } from './line-text.ts';
import type { PicturedStage } from './pictured-stage.ts';
import { tailTitle } from './stage-columns.ts';

/**
 * In stage order; empty if none of them has figures.
 * @param columns available width
 */
export const stageBars = (stages: readonly PicturedStage[], columns: number): readonly string[] => {
  const rows = stages.flatMap(stage => {
    const { curve, completedPerSecond } = stage;
    return curve === undefined || completedPerSecond === undefined
      ? []
      : [{ stage, curve, completedPerSecond }];
  });
  if (rows.length === 0) return [];
  const hasTokens = rows.every(({ stage }) => stage.outputTokensPerSecond !== undefined);
  const reported = rows.map(({ stage, curve, completedPerSecond }) => ({
    load: loadText(stage.load),
    amount: (hasTokens ? stage.outputTokensPerSecond : undefined) ?? completedPerSecond,
    waitNs: curve.atPercentile,
    grows: stage.isOverCapacity ? ', growing' : '',
  }));
  const loadColumns = maximumOf(reported.map(({ load }) => textWidth(load)));
  const most = maximumOf(reported.map(({ amount }) => amount));
  const longest = maximumOf(reported.map(({ waitNs }) => waitNs));
  const room = Math.floor((columns - loadColumns - AROUND_BARS) / 2);
  const barColumns = Math.max(BAR_COLUMNS_LEAST, Math.min(BAR_COLUMNS_MOST, room));
  const left = hasTokens ? 'output tokens/s' : 'requests/s';
  const right = `${seriesRow(curveSeries(stages)).shortLabel} ${tailTitle(stages)}`;
  return [
    '',
    `  ${padded('', loadColumns)}  ${padded(left, barColumns + FIGURE_COLUMNS)}  ${right}`,
    ...reported.map(({ load, amount, waitNs, grows }) =>
      [
        `  ${paddedStart(load, loadColumns)}`,
        padded(
          `${barOf(amount / most, barColumns)} ${formatThreeDigits(amount)}`,
          barColumns + FIGURE_COLUMNS,
        ),
        `${barOf(waitNs / longest, barColumns)} ${figureText(formatMeasuredNanoseconds(waitNs))}${grows}`,
      ].join('  '),
    ),
  ];
};

/** In eighths of a character; any value above zero is visible. */
const barOf = (share: number, columns: number): string => {
  const eighths = share > 0 ? Math.max(1, Math.round(share * columns * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};

const FIGURE_COLUMNS = 7;
/** Spaces, both figures, and the mark of a growing queue. */
const AROUND_BARS = 34;
const BAR_COLUMNS_LEAST = 6;
const BAR_COLUMNS_MOST = 24;
const EIGHTHS: readonly string[] = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
