// Links of unknown type that are far slower one way than the other, or than another path between the same two nodes.

import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { at, stateOf } from '../../dashboard/cluster/cluster-state.ts';
import { ETHERNET, idOf, OVERLAY, type Wire, wired } from '../../e2e/links.ts';
import { notebook, studio } from '../../e2e/machines.ts';

const UNTYPED: Wire = {
  ...ETHERNET,
  type: unknown('br0 is a virtual interface'),
  negotiatedBitsPerSecond: 0,
  address: '192.0.2.20',
};

const warnedOf = (...wires: readonly Wire[]): readonly Warning[] => warnedAt([], ...wires);

/** What atlas measures to juno, whose bridge has these addresses. */
const warnedAt = (addresses: readonly string[], ...wires: readonly Wire[]): readonly Warning[] => {
  const reported = {
    ...at(studio),
    facts: [...at(studio).facts, ...wires.flatMap(wire => wired(idOf(notebook), wire))],
  };
  const bridge: NetworkInterface = {
    name: 'br0',
    type: unknown('not reported'),
    typeEvidence: 'made up',
    macAddress: unknown('not reported'),
    isUp: true,
    speedBitsPerSecond: unknown('not reported'),
    mtuBytes: 1_500,
    driver: unknown('not reported'),
    addresses: addresses.map(address => ({ address, family: 'ipv4', prefixLength: 24, scope: 'global' })),
    members: [],
  };
  const network: Fact = {
    kind: 'network.gathered',
    payload: { source: 'made up', intervalMs: 10_000, value: { interfaces: [bridge] } },
  };
  const juno = at(notebook);
  const state = stateOf(reported, { ...juno, facts: [...juno.facts, network] });
  const links = linkViews(state, 0);
  const views = nodeIds(state).map(id => nodeView(state, id, 0));
  return clusterWarnings({ state, views, links, nowMs: 0 }).filter(({ id }) => id.startsWith('link '));
};

describe('a link of unknown type', () => {
  test('that is far slower one way than the other is reported, with the reason of the missing type and a command', () => {
    expect(warnedOf({ ...UNTYPED, up: 940e6, down: 94e6 })).toMatchObject([
      {
        id: expect.stringMatching(/^link short /),
        level: 'caution',
        title: 'juno to atlas: 94.0\u00a0Mb/s is far less than the other way',
        why: expect.stringMatching(
          /^The other direction carries 940\u00a0Mb\/s \(type unknown: br0 is a virtual interface\)\./,
        ),
        command: 'plimsoll probe link atlas',
      },
    ]);
    expect(warnedOf({ ...UNTYPED, up: 940e6, down: 600e6 })).toEqual([]);
  });

  test('that is far slower than another path between the two is reported, with both paths', () => {
    const slow = { ...UNTYPED, up: 94e6, down: 93e6 };
    expect(warnedOf(slow, { ...ETHERNET, up: 9.4e9, down: 9.4e9 })).toMatchObject([
      {
        id: expect.stringMatching(/^link path /),
        level: 'caution',
        title: expect.stringMatching(
          /^(atlas to juno|juno to atlas): 9[34]\.0\u00a0Mb\/s on one path, 9\.40\u00a0Gb\/s on another$/,
        ),
        why: expect.stringContaining('(type unknown: br0 is a virtual interface)'),
        on: expect.any(String),
        command: expect.stringMatching(/^plimsoll probe link /),
      },
    ]);
    expect(warnedOf({ ...UNTYPED, up: 6e9, down: 6e9 }, ETHERNET)).toEqual([]);
  });

  test('has one path for all addresses of the same two interfaces, which is not compared with itself', () => {
    const slow = { ...UNTYPED, up: 94e6, down: 94e6 };
    const same = { ...UNTYPED, address: '192.0.2.21' };
    expect(warnedAt(['192.0.2.20', '192.0.2.21'], slow, same)).toEqual([]);
  });

  test('is not measured against a tunnel, nor a tunnel against it, nor while its probe fails', () => {
    expect(warnedOf({ ...UNTYPED, up: 94e6, down: 94e6 }, { ...OVERLAY, up: 9e9, down: 9e9 })).toEqual([]);
    expect(warnedOf(UNTYPED, { ...OVERLAY, up: 90e6, down: 90e6 })).toEqual([]);
    const failing = { ...UNTYPED, up: 94e6, down: 94e6, failure: 'refused' };
    expect(warnedOf(failing, ETHERNET)).toEqual([]);
  });
});
