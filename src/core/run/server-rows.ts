// What a server told of itself during a run, as rows of a table: a gauge by its mean and bounds, a counter by what it rose.

import { figureText, formatBytes, formatCount, formatThreeDigits } from '../figure/figure.ts';
import { capitalized } from '../text/single-line.ts';
import { SERVER_FIGURE_KEYS, SERVER_FIGURES } from './server-reading.ts';
import type { ServerEvidence } from './server-tally.ts';

export const SERVER_COLUMNS: readonly string[] = ['', 'mean', 'least', 'most', 'in all'];

/** The columns first; none of what the server does not tell. */
export const serverFigureRows = ({ figures }: ServerEvidence): readonly (readonly string[])[] => [
  SERVER_COLUMNS,
  ...SERVER_FIGURE_KEYS.flatMap(key => {
    const of = figures[key];
    if (of === undefined) return [];
    const { label, kind, unit } = SERVER_FIGURES[key];
    const shown = (value: number): string =>
      unit === 'share' ? `${formatThreeDigits(value * 100)} %` : formatThreeDigits(value);
    const name = capitalized(label);
    return kind === 'counter'
      ? [[name, '', '', '', unit === 'bytes' ? figureText(formatBytes(of.rose)) : formatCount(of.rose)]]
      : [[name, shown(of.mean), shown(of.min), shown(of.max), '']];
  }),
];
