// The links between groups as a table, one row each two groups, what needs a look first: the median, and the worst by name.

import { counted, figureText, formatBitsPerSecond, UNKNOWN_FIGURE } from '../core/figure/figure.ts';
import { byNeedOfPairs, type GroupPair } from '../core/group/group-pairs.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { State } from '../core/state.ts';
import { type Line, part } from './part.ts';
import { type Column, layoutTable } from './table.ts';

/** At most `rowsMax` rows; last lines count the other pairs, and those of which nothing is known with their reason. */
export const pairTable = (
  state: State,
  pairs: readonly GroupPair[],
  { columns, rowsMax }: { readonly columns: number; readonly rowsMax: number },
): readonly Line[] => {
  const known = pairs.filter(({ median }) => median !== undefined).toSorted(byNeedOfPairs);
  if (pairs.length === 0) return [];
  const shown = known.length <= rowsMax ? known : known.slice(0, Math.max(1, rowsMax - 1));
  return [
    ...(shown.length === 0
      ? []
      : layoutTable(
          COLUMNS,
          shown.map(pair => cellsOf(state, pair)),
          columns,
        )),
    ...countLine(known.length - shown.length, 'more'),
    ...[...Map.groupBy(pairs, ({ reason }) => reason)].flatMap(([reason, held]) =>
      reason === undefined ? [] : countLine(held.length, reason),
    ),
  ];
};

const countLine = (count: number, what: string): readonly Line[] =>
  count === 0 ? [] : [[part(`  … ${counted(count, 'pair')} ${what}`, 'dim')]];

const cellsOf = (state: State, { groups: [one, other], ...ways }: GroupPair): readonly Line[] => {
  const { isFlagged, linkCount, median, worst, worstNodes } = ways;
  const names = worstNodes?.map(node => nodeName(state, node)).join(' – ') ?? '';
  return [
    [isFlagged ? part('! ', 'caution') : part('● ', 'good'), part(one.name, 'strong')],
    [part(one === other ? 'within' : other.name, one === other ? 'dim' : 'strong')],
    [part(String(linkCount))],
    [part(rateText(median))],
    [part(rateText(worst), isFlagged ? 'caution' : 'plain')],
    [part(names, isFlagged ? 'plain' : 'dim')],
  ];
};

const rateText = (bitsPerSecond: number | undefined): string =>
  bitsPerSecond === undefined ? UNKNOWN_FIGURE.figure : figureText(formatBitsPerSecond(bitsPerSecond));

const COLUMNS: readonly Column[] = [
  { title: '  Between', isNumber: false, widthMax: 28, rank: 0 },
  { title: 'and', isNumber: false, widthMax: 26, rank: 0 },
  { title: 'Links', isNumber: true, widthMax: 7, rank: 3 },
  { title: 'Median', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'Worst', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'Its ends', isNumber: false, widthMax: 40, rank: 1 },
];
