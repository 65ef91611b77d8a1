import { describe, expect, test } from 'vitest';
import { linkLanes } from '../../../dashboard/src/link/link-lanes.ts';
import { needFirst, slowestFirst } from '../../../dashboard/src/link/link-order.ts';
import { shareOfExpected, slowestCable } from '../../../src/core/link/link-share.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import type { State } from '../../../src/core/state.ts';
import { ETHERNET, idOf, OVERLAY, THUNDERBOLT, turned, WIFI, type Wire, wired } from '../../e2e/links.ts';
import { notebook, rack, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf } from '../cluster/cluster-state.ts';

const [ATLAS, JUNO, BOSUN] = [idOf(studio), idOf(notebook), idOf(rack)];

const joined = (...wires: readonly Wire[]): State =>
  stateOf(
    {
      machine: studio,
      facts: [...studio.durable, ...studio.live(AT_WORK), ...wires.flatMap(wire => wired(JUNO, wire))],
    },
    {
      machine: notebook,
      facts: [
        ...notebook.durable,
        ...notebook.live(AT_WORK),
        ...wires.flatMap(wire => wired(ATLAS, turned(wire))),
      ],
    },
  );

describe('the lanes of two nodes', () => {
  test('are one a type of connection, measured by either end, what carries most first', () => {
    const state = joined(WIFI, ETHERNET, THUNDERBOLT);
    const [link] = linkViews(state, 0);
    const lanes = link === undefined ? [] : linkLanes(link, 0);
    expect(lanes.map(({ type }) => type)).toEqual(['Thunderbolt\u00a05 (RDMA)', 'Ethernet', 'Wi-Fi']);
    expect(lanes[0]).toMatchObject({ there: THUNDERBOLT.up, back: THUNDERBOLT.down, isStale: false });
    expect(lanes[1]).toMatchObject({ there: ETHERNET.up, back: ETHERNET.down });
  });
});

const three = (toBosun: Wire): State =>
  stateOf(
    {
      machine: studio,
      facts: [
        ...studio.durable,
        ...studio.live(AT_WORK),
        ...wired(JUNO, THUNDERBOLT),
        ...wired(BOSUN, toBosun),
      ],
    },
    { machine: notebook, facts: [...notebook.durable, ...notebook.live(AT_WORK), ...wired(BOSUN, WIFI)] },
    { machine: rack, facts: [...rack.durable, ...rack.live(AT_WORK)] },
  );

describe('the slowest cable', () => {
  test('is the direction that carries least of what it should, not the one with the least rate', () => {
    const state = three({ ...ETHERNET, negotiatedBitsPerSecond: 1e9, up: 0.94e9, down: 0.93e9 });
    const slow = slowestCable(linkViews(state, 0));
    expect(slow?.figure.value).toBe(0.93e9);
    const broken = slowestCable(linkViews(three({ ...ETHERNET, up: 9.4e9, down: 4.87e9 }), 0));
    expect(broken?.figure.value).toBe(4.87e9);
    expect(broken?.share).toBeCloseTo(0.487, 6);
  });

  test('is no overlay and no Wi-Fi, and none where nothing was measured', () => {
    expect(slowestCable(linkViews(joined(OVERLAY), 0))).toBeUndefined();
    expect(slowestCable([])).toBeUndefined();
  });

  test('allows TCP over Thunderbolt no more than 40 Gb/s, for any negotiated rate', () => {
    const [link] = linkViews(
      joined({ ...ETHERNET, type: 'thunderbolt', negotiatedBitsPerSecond: 80e9, up: 38e9, down: 38e9 }),
      0,
    );
    expect(link?.there === undefined ? undefined : shareOfExpected(link.there)).toBeCloseTo(0.95, 6);
  });
});

describe('a list of links', () => {
  test('begins with what needs somebody, keeps the order of the rest, and ends with what is gone', () => {
    const links = linkViews(three({ ...ETHERNET, up: 9.4e9, down: 4.87e9 }), 0);
    const short = links.find(({ nodes }) => nodes.includes(ATLAS) && nodes.includes(BOSUN));
    const notes = new Map([[short?.key ?? '', 'short']]);
    expect(needFirst(links, notes)[0]?.key).toBe(short?.key);
    expect(needFirst(links, new Map()).map(({ key }) => key)).toEqual(links.map(({ key }) => key));
    const rates = slowestFirst(links, new Map()).map(({ there, back }) =>
      Math.min(there?.value ?? 0, back?.value ?? 0),
    );
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
  });
});
