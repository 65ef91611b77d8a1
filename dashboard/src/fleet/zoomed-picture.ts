// The picture of a fleet with one of its groups alone, for the map of a group that is too large for links one by one.

import { nodesOfFault } from '../../../src/core/fleet/fleet-faults.ts';
import type { FleetPicture } from '../../../src/core/fleet/fleet-picture.ts';

export const zoomedPicture = (picture: FleetPicture, index: number): FleetPicture => {
  const group = picture.roster.groups[index];
  const nodes = new Set(group?.cells.map(({ node }) => node));
  const list = picture.faults.list.filter(fault => nodesOfFault(fault).every(node => nodes.has(node)));
  return {
    ...picture,
    roster: { ...picture.roster, groups: group === undefined ? [] : [group] },
    levels: picture.levels.slice(index, index + 1),
    sums: picture.sums.slice(index, index + 1),
    ways: picture.ways.slice(index, index + 1),
    faults: { ...picture.faults, list },
  };
};
