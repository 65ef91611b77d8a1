// The rows of links in a terminal: which need a look, and which are shown where there is no room for all.

import { expect, test } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import type { State } from '../../src/core/state.ts';
import { linkTable } from '../../src/tui/link-table.ts';
import { at, idOf, stateOf } from '../dashboard/cluster/cluster-state.ts';
import { type Machine, notebook, rack, studio } from '../e2e/machines.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';

const linkTo = (machine: Machine, uploadBitsPerSecond: number): readonly Fact[] => [
  {
    kind: 'connection.opened',
    payload: {
      kind: 'socket',
      sink: idOf(machine),
      sinkAddress: '10.0.0.2',
      sourceInterface: 'en0',
      sinkInterface: 'en0',
      type: 'ethernet',
      negotiatedBitsPerSecond: 10e9,
    },
  },
  {
    kind: 'link.profiled',
    payload: {
      sink: idOf(machine),
      connectionKey: 'socket 10.0.0.2',
      ...LINK_FIGURES,
      uploadBitsPerSecond,
      engine: 'made up',
      method: 'made up',
    },
  },
];

const rowsOf = (state: State, rowsMax: number): readonly string[] =>
  linkTable(state, 0, { columns: 120, rowsMax })
    .slice(1)
    .map(line => line.map(({ text }) => text).join(''));

/** Three links, all sound but that from atlas to `bad`. */
const withBad = (bad: Machine, sound: Machine): State => {
  const { machine, facts } = at(studio);
  const far = at(rack);
  return stateOf(
    { machine, facts: [...facts, ...linkTo(bad, 4.6e9), ...linkTo(sound, 9.41e9)] },
    { machine: rack, facts: [...far.facts, ...linkTo(notebook, 9.41e9)] },
    at(notebook),
  );
};

test('a link that carries far less than it should has another sign than a sound one', () => {
  const rows = rowsOf(withBad(rack, notebook), 10);
  expect(rows.map(row => row.slice(0, 2))).toEqual(['! ', '● ', '● ']);
  expect(rows[0]).toMatch(/bosun.*4\.60\sGb\/s/);
});

test.each([
  { name: 'bosun', bad: rack, sound: notebook },
  { name: 'juno', bad: notebook, sound: rack },
])('where there is room for one link, it is the one that needs a look: that to $name', each => {
  const [row, more] = rowsOf(withBad(each.bad, each.sound), 2);
  expect(row).toMatch(new RegExp(`^! atlas +${each.name} `));
  expect(more).toBe('  … 2 more links');
});

test('where there is room for none, their number is shown without the head of a table', () => {
  const lines = linkTable(withBad(rack, notebook), 0, { columns: 120, rowsMax: 1 });
  expect(lines.map(line => line.map(({ text }) => text).join(''))).toEqual(['  … 3 links']);
});

test('of two sound links the one that carries less of its rate comes first', () => {
  const { machine, facts } = at(studio);
  const rows = rowsOf(
    stateOf(
      { machine, facts: [...facts, ...linkTo(rack, 9.41e9), ...linkTo(notebook, 7.2e9)] },
      at(rack),
      at(notebook),
    ),
    3,
  );
  expect(rows.map(row => row.split(/\s+/)[2])).toEqual(['juno', 'bosun']);
});

test('what needs a look comes first', () => {
  const [first] = rowsOf(withBad(notebook, rack), 3);
  expect(first?.split(/\s+/).slice(1, 3)).toEqual(['atlas', 'juno']);
});

test('the current traffic of a link is shown as the bound that it is: the port has other links too', () => {
  const { machine, facts } = at(studio);
  const counts = { bytes: 1e9, packets: 1, errors: 0, drops: 0 };
  const rates = { bytesPerSecond: 20e6, packetsPerSecond: 1, errorsPerSecond: 0, dropsPerSecond: 0 };
  const traffic: Fact = {
    kind: 'traffic.gathered',
    payload: {
      source: 'procfs',
      intervalMs: 1_000,
      value: {
        ports: [
          {
            name: 'en0',
            kind: 'interface',
            received: counts,
            sent: counts,
            rates: { received: rates, sent: rates },
          },
        ],
      },
    },
  };
  const state = stateOf({ machine, facts: [...facts, ...linkTo(notebook, 9.41e9), traffic] }, at(notebook));
  const [row] = rowsOf(state, 5);
  expect(row).toMatch(/≤ 160\sMb\/s +≤ 160\sMb\/s/);
});

test('what a queue adds under load is shown for the worse direction, in another colour from a tenth of a second on', () => {
  const queueing = (uploadQueueNs: number) => {
    const { machine, facts } = at(studio);
    const measured = linkTo(notebook, 9.41e9).map(fact =>
      fact.kind === 'link.profiled' ? { ...fact, payload: { ...fact.payload, uploadQueueNs } } : fact,
    );
    const state = stateOf({ machine, facts: [...facts, ...measured] }, at(notebook));
    const [head, row] = linkTable(state, 0, { columns: 140, rowsMax: 9 });
    expect(head?.map(({ text }) => text).join('')).toContain('Loaded');
    return row?.find(({ text }) => text.startsWith('+'));
  };
  expect(queueing(99e6)).toMatchObject({ text: '+99\u00a0ms', tone: 'plain' });
  expect(queueing(180e6)).toMatchObject({ text: '+180\u00a0ms', tone: 'caution' });
});
