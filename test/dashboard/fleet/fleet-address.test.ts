// What a fleet's page shows, in its address and back.

import { describe, expect, test } from 'vitest';
import {
  addressOf,
  cellsByName,
  groupParameter,
  isFound,
  pickIn,
  readFleetAddress,
  withFleetAddress,
} from '../../../dashboard/src/fleet/fleet-address.ts';
import { madeUpNode, rosterOf } from './made-up-fleet.ts';

const read = (text: string) => readFleetAddress(new URLSearchParams(text));

describe('the address of a fleet', () => {
  test.each([
    { change: { pick: { kind: 'node', name: 'r1-3' } }, text: 'by=rack&node=r1-3' },
    { change: { pick: { kind: 'group', group: 'site a/rack 3' } }, text: 'by=rack&group=site+a%2Frack+3' },
    { change: { pick: { kind: 'pair', groups: ['r1', 'r2'] } }, text: 'by=rack&group=r1&group=r2' },
    { change: { map: 'r1' }, text: 'by=rack&map=r1' },
    { change: { find: 'h200', isTable: true }, text: 'by=rack&find=h200&as=table' },
  ] as const)('reports what is picked: $text', ({ change, text }) => {
    const query = withFleetAddress(new URLSearchParams('by=rack'), change);
    expect(query.toString()).toBe(text);
    expect(read(text)).toMatchObject(change);
  });

  test('forgets a pick for another one, and keeps what others put there', () => {
    const query = withFleetAddress(new URLSearchParams('stale=1&group=r1&group=r2'), {
      pick: { kind: 'node', name: 'a' },
    });
    expect(query.toString()).toBe('stale=1&node=a');
    expect(withFleetAddress(query, { pick: undefined }).toString()).toBe('stale=1');
  });

  test('calls a node by its name where only one has it, else by its id', () => {
    const roster = rosterOf([2]);
    const [group] = roster.groups;
    const twins = {
      ...roster,
      groups:
        group === undefined
          ? []
          : [{ ...group, cells: group.cells.map(cell => ({ ...cell, name: 'ubuntu' })) }],
    };
    const plain = cellsByName(roster);
    const same = cellsByName(twins);
    const [cell] = group?.cells ?? [];
    const [twin] = twins.groups[0]?.cells ?? [];
    if (cell === undefined || twin === undefined) throw new Error('no cell');
    expect(addressOf(cell, plain)).toEqual({ kind: 'node', name: 'r1-1' });
    expect(addressOf(twin, same)).toEqual({ kind: 'node', name: madeUpNode(0, 0) });
    expect(pickIn({ kind: 'node', name: madeUpNode(0, 0) }, same, twins)).toEqual({
      kind: 'node',
      node: madeUpNode(0, 0),
    });
    expect(pickIn({ kind: 'node', name: 'ubuntu' }, same, twins)).toBeUndefined();
  });

  test('calls a group by its name where only one has it, else by its id', () => {
    const roster = rosterOf([1, 1, 1]);
    const twins = {
      ...roster,
      groups: roster.groups.map((group, index) => ({ ...group, name: index < 2 ? 'r01' : 'r02' })),
    };
    expect(twins.groups.map(({ id }) => groupParameter(twins, id))).toEqual(['r1', 'r2', 'r02']);
    const pick = (text: string) => pickIn({ kind: 'group', group: text }, cellsByName(twins), twins);
    expect([pick('r02'), pick('r2'), pick('r01')]).toEqual([
      { kind: 'group', group: 'r3' },
      { kind: 'group', group: 'r2' },
      undefined,
    ]);
    expect(pickIn({ kind: 'pair', groups: ['r02', 'nobody'] }, cellsByName(twins), twins)).toBeUndefined();
  });

  test.each([
    ['r1', true],
    ['H100', true],
    ['serve', true],
    ['r1 h100', true],
    ['h200', false],
  ])('a search for %s looks at name, kind and tags', (find, isMeant) => {
    const [cell] = rosterOf([1]).groups[0]?.cells ?? [];
    expect(cell !== undefined && isFound(cell, find)).toBe(isMeant);
  });
});
