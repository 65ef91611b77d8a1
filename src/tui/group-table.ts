// The groups of a cluster as a table, one row each: how many nodes answer, what they carry together, how loaded they are, and
// what is wrong.

import {
  type Figure,
  figureText,
  formatBytesOf,
  formatBytesPerSecond,
  formatFlopsPerSecond,
  formatPercent,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import type { GroupBy } from '../core/group/group-by.ts';
import type { Group } from '../core/group/group-view.ts';
import type { Total } from '../core/totals.ts';
import { bar } from './memory-facts.ts';
import { type Line, part } from './part.ts';
import { type Column, layoutTable } from './table.ts';

export const groupTable = (
  groups: readonly Group[],
  by: GroupBy,
  { columns, rowsMax }: { readonly columns: number; readonly rowsMax: number },
): readonly Line[] => {
  // A single extra row needs no more space than the line that would count it.
  const shown = groups.length <= rowsMax + 1 ? groups : groups.slice(0, Math.max(1, rowsMax));
  const more = groups.length - shown.length;
  return [
    ...layoutTable(columnsOf(by), shown.map(cellsOf), columns),
    ...(more === 0 ? [] : [[part(`  … ${more} more ${more === 1 ? 'group' : 'groups'}`, 'dim')]]),
  ];
};

const cellsOf = (group: Group): readonly Line[] => [
  [mark(group), part(group.name, 'strong')],
  nodesCell(group),
  [part(group.kind.kind === 'one' ? group.kind.name : group.kind.kind === 'mixed' ? 'mixed' : '', 'dim')],
  [part(String(group.totals.gpuCount))],
  group.memoryUse === undefined ? [] : bar(group.memoryUse, 10),
  memoryCell(group),
  shareCell(group.gpuUse),
  sumCell(group.totals.gpuFlopsPerSecond, formatFlopsPerSecond),
  sumCell(group.totals.gpuMemoryBytesPerSecond, formatBytesPerSecond),
  [part(group.runners === 0 ? '' : String(group.runners))],
  noteCell(group),
];

/** Never by colour alone: the note states it too. */
const mark = ({ level }: Group): Line[number] => {
  switch (level) {
    case 'danger':
      return part('× ', 'bad');
    case 'caution':
      return part('! ', 'caution');
    case 'note':
    case 'none':
      return part('● ', 'good');
    default:
      return level satisfies never;
  }
};

/** "16", or "15 of 16" where some do not answer. */
const nodesCell = ({ nodes: { count, up } }: Group): Line =>
  up === count ? [part(String(count))] : [part(`${up} of ${count}`, 'caution')];

const memoryCell = ({ totals: { memoryUsedBytes: used, memoryTotalBytes: whole } }: Group): Line =>
  whole.knownCount === 0
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatBytesOf(used.sum, whole.sum)))];

const shareCell = ({ sum, knownCount }: Total): Line =>
  knownCount === 0
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatPercent(sum / knownCount)))];

/** Of what was measured: "≥" where it is a lower bound or some devices are not in it. */
const sumCell = (total: Total, format: (sum: number) => Figure): Line => {
  if (total.knownCount === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const isPart = total.isLowerBound || total.knownCount < total.count;
  return [part(`${isPart ? '≥ ' : ''}${figureText(format(total.sum))}`)];
};

const noteCell = ({ reason, warnings, nodes }: Group): Line => {
  const texts = [
    ...(['offline', 'stopped', 'stale'] as const).flatMap(presence =>
      nodes[presence] === 0 ? [] : `${nodes[presence]} ${presence}`,
    ),
    ...(warnings.danger + warnings.caution === 0
      ? []
      : [
          `${warnings.danger + warnings.caution} ${warnings.danger + warnings.caution === 1 ? 'warning' : 'warnings'}`,
        ]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return [part(texts.join(', '), warnings.danger > 0 ? 'bad' : warnings.caution > 0 ? 'caution' : 'dim')];
};

const columnsOf = (by: GroupBy): readonly Column[] => [
  {
    title: `  ${by.kind === 'tag' ? (by.key ?? 'Tag') : TITLES[by.kind]}`,
    isNumber: false,
    widthMax: 28,
    rank: 0,
  },
  { title: 'Nodes', isNumber: true, widthMax: 12, rank: 0 },
  { title: 'Kind', isNumber: false, widthMax: 30, rank: 9 },
  { title: 'GPUs', isNumber: true, widthMax: 6, rank: 4 },
  { title: '', isNumber: false, widthMax: 10, rank: 8 },
  { title: 'Memory', isNumber: true, widthMax: 20, rank: 1 },
  { title: 'GPU', isNumber: true, widthMax: 6, rank: 2 },
  { title: 'FP16', isNumber: true, widthMax: 16, rank: 5 },
  { title: 'Mem. read', isNumber: true, widthMax: 12, rank: 6 },
  { title: 'Runners', isNumber: true, widthMax: 7, rank: 7 },
  { title: 'Look at', isNumber: false, widthMax: 40, rank: 0 },
];

const TITLES = { site: 'Site', rack: 'Rack', kind: 'Kind' } as const;
