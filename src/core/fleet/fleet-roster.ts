// The cells of a group, sorted by name with numbers by value, each with the number under it. Neither moves
// when a figure changes.

import { type NodePlace, nodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownOr } from '../unknown.ts';
import type { RosterCell } from './fleet-picture.ts';

/** @param members sorted by name. */
export const rosterCells = (
  members: readonly NodeView[],
  places: ReadonlyMap<NodeId, NodePlace>,
): readonly RosterCell[] => {
  const marks = cellMarks(members.map(({ name }) => name));
  return members.map((view, index) => {
    const { kind, tags } = places.get(view.nodeId) ?? nodePlace(view);
    return {
      node: view.nodeId,
      name: view.name,
      mark: marks[index] ?? '',
      kind: knownOr(kind, undefined)?.name ?? '',
      tags,
    };
  });
};

/** "7" for "r05-07" if every name of the group ends in a different number, else the position in the row. */
const cellMarks = (names: readonly string[]): readonly string[] => {
  const numbers = names
    .map(name => /(\d{1,4})$/.exec(name)?.[1])
    .map(digits => (digits === undefined ? '' : String(Number(digits))));
  const isStated = numbers.every(number => number !== '') && new Set(numbers).size === names.length;
  return isStated ? numbers : names.map((_, index) => String(index + 1));
};
