// Fleets of made-up nodes for what the page derives from a picture.

import type { FleetRoster } from '../../../src/core/fleet/fleet-picture.ts';
import { nodeId } from '../../../src/core/ids.ts';

export const madeUpNode = (group: number, cell: number) =>
  nodeId(
    `n${group}x${cell}`
      .replaceAll('0', 'a')
      .replaceAll('1', 'b')
      .replaceAll('8', 'c')
      .replaceAll('9', 'd')
      .padEnd(26, 'z'),
  );

export const rosterOf = (sizes: readonly number[]): FleetRoster => ({
  by: 'rack',
  groups: sizes.map((size, group) => ({
    id: `r${group + 1}`,
    name: `rack ${group + 1}`,
    cells: Array.from({ length: size }, (_, cell) => ({
      node: madeUpNode(group, cell),
      name: `r${group + 1}-${cell + 1}`,
      mark: String(cell + 1),
      kind: 'HGX H100',
      tags: group === 0 ? ['role=serve'] : [],
    })),
  })),
});
