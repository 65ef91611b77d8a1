// The matrix of a fleet by group: of each two groups the median of their links, flagged where the worst of them is far below what
// it should carry. A thousand nodes have some thirty racks, so it is read where a matrix of nodes is not.

import { counted } from '../../../src/core/figure/figure.ts';
import type { FleetRoster } from '../../../src/core/fleet/fleet-picture.ts';
import { type GroupPairWays, pairName } from '../../../src/core/fleet/fleet-ways.ts';
import { whyNoLink } from '../../../src/core/link/link-view.ts';
import { heatScale, heatStep } from '../link/heat.ts';
import type { RateUnit } from '../link/link-text.ts';
import type { Cell, Matrix } from '../link/matrix.ts';
import { wayFigure } from './fault-text.ts';

interface GroupMatrixSources {
  readonly roster: FleetRoster;
  readonly pairs: readonly GroupPairWays[];
  readonly nodeCount: number;
  readonly unit: RateUnit;
  readonly nameOf: (node: string) => string;
}

export const groupMatrix = ({
  roster,
  pairs,
  nodeCount,
  unit,
  nameOf,
}: GroupMatrixSources): Matrix<string> => {
  const byPair = new Map(pairs.map(pair => [pairName(pair.groups), pair]));
  const medians = pairs.flatMap(({ median }) => median ?? []);
  const scale = heatScale('bandwidth', medians);
  const giga = unit === 'bits' ? 'Gb/s' : 'GB/s';
  const { groups } = roster;
  return {
    columns: groups.map(({ id, name }) => ({ id, name, isGroupEnd: false })),
    cells: groups.map((from, row) =>
      groups.map((to, column): Cell => {
        const way = row === column ? `within ${from.name}` : `${from.name} to ${to.name}`;
        const pair = byPair.get(pairName(row < column ? [row, column] : [column, row]));
        if (pair === undefined && row === column && from.cells.length === 1) return { kind: 'self' };
        if (pair === undefined) return { kind: 'unmeasured', reported: `${way}: ${whyNoLink(nodeCount)}` };
        if (pair.median === undefined) return { kind: 'unmeasured', reported: `${way}: not measured` };
        const worst =
          pair.worstNodes === undefined
            ? ''
            : `, from ${nameOf(pair.worstNodes[0])} to ${nameOf(pair.worstNodes[1])}`;
        return {
          kind: 'measured',
          step: heatStep('bandwidth', pair.median, scale),
          text: wayFigure(pair.median, unit),
          reported: `${way}: ${wayFigure(pair.median, unit)} ${giga} median of ${pair.linkCount === 1 ? 'one link' : counted(pair.linkCount, 'link')}, worst ${wayFigure(pair.worst, unit)}${worst}${pair.isFlagged ? ', below its rate' : ''}`,
          isStale: false,
          isFlagged: pair.isFlagged,
          hasLostPath: false,
        };
      }),
    ),
    unit: giga,
    unratedUnit: giga,
    scale,
  };
};
