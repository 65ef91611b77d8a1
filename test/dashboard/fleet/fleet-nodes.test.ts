import { describe, expect, test } from 'vitest';
import {
  fleetNodeFilterOf,
  fleetNodeQuery,
  fleetNodes,
  inFleetOrder,
  isMeantNode,
} from '../../../dashboard/src/fleet/fleet-nodes.ts';
import { madeUpNode, rosterOf } from './made-up-fleet.ts';

const picture = (states: string) => ({
  roster: rosterOf([3]),
  sums: [{ linkCounts: [3, 0, 5] }],
  levels: [{ memory: [40, null, 90], gpu: [10, 20, 30], states, usedBytes: 0 }],
  faults: {
    list: [
      {
        id: 'over',
        kind: 'over',
        level: 'caution',
        node: madeUpNode(0, 2),
        share: 0.9,
        swappedBytes: 0,
      } as const,
    ],
    count: 1,
    nodeCount: 1,
  },
});
const namesOf = (query: string, states = 'lls') => {
  const filter = fleetNodeFilterOf(new URLSearchParams(query));
  const meant = fleetNodes(picture(states)).filter(node => isMeantNode(node, filter));
  return inFleetOrder(meant, filter.sort).map(({ cell }) => cell.name);
};

describe('the list of nodes of a fleet', () => {
  test('has those with faults on top, then goes by name', () => {
    expect(namesOf('')).toEqual(['r1-3', 'r1-1', 'r1-2']);
  });

  test('follows the address, and what is unknown comes last in either direction', () => {
    expect(namesOf('sort=memory')).toEqual(['r1-1', 'r1-3', 'r1-2']);
    expect(namesOf('sort=-memory')).toEqual(['r1-3', 'r1-1', 'r1-2']);
    expect(namesOf('sort=-gpu')).toEqual(['r1-3', 'r1-2', 'r1-1']);
    expect(namesOf('sort=links')).toEqual(['r1-2', 'r1-1', 'r1-3']);
  });

  test('shows who is up, who is not, who has faults, and who is called so', () => {
    expect(namesOf('state=live')).toEqual(['r1-1', 'r1-2']);
    expect(namesOf('state=away')).toEqual(['r1-3']);
    expect(namesOf('state=warned')).toEqual(['r1-3']);
    expect(namesOf('q=r1-2')).toEqual(['r1-2']);
    expect(namesOf('q=role serve&kind=HGX H100', 'lll')).toHaveLength(3);
    expect(namesOf('kind=Mac Studio')).toEqual([]);
  });

  test('has an address that reads as it was written, and counts pages from one', () => {
    const query = 'q=r1&state=away&kind=HGX+H100&sort=-gpu&page=3';
    expect(fleetNodeFilterOf(new URLSearchParams(query)).page).toBe(2);
    expect(fleetNodeQuery(fleetNodeFilterOf(new URLSearchParams(query))).toString()).toBe(query);
    expect(fleetNodeQuery(fleetNodeFilterOf(new URLSearchParams('page=-1&sort=moon'))).toString()).toBe('');
  });
});
