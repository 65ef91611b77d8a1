// One screen for the whole cluster: everything has its position, and what has no room is counted.

import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import { unknown } from '../../src/core/unknown.ts';
import { renderTop } from '../../src/tui/render-top.ts';
import { at, idOf, stateOf } from '../dashboard/cluster/cluster-state.ts';
import { notebook, rack, studio } from '../e2e/machines.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';

const options = { columns: 140, rows: 40, color: false, isUnicode: true };

const opened = {
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink: idOf(rack),
    sinkAddress: '10.0.0.2',
    sourceInterface: 'en0',
    sinkInterface: 'en0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 10e9,
  },
} as const satisfies Fact;

const profile = {
  kind: 'link.profiled',
  payload: {
    sink: idOf(rack),
    connectionKey: 'socket 10.0.0.2',
    ...LINK_FIGURES,
    engine: 'made up',
    method: 'made up',
  },
} as const satisfies Fact;

const profiled = (failure: 'none' | string): Fact => ({
  ...profile,
  payload: { ...profile.payload, failure: failure === 'none' ? 'none' : unknown(failure) },
});

/** Seven machines, and links from the first of them: all sound but the last. */
const crowded = () => {
  const others = [rack, notebook, ...['b', 'c', 'd', 'e', 'f'].map(seed => ({ ...studio, seed }))];
  const { machine, facts } = at(studio);
  const links = others.flatMap((other, index): readonly Fact[] => [
    { ...opened, payload: { ...opened.payload, sink: idOf(other), sinkAddress: `10.0.0.${index + 2}` } },
    {
      ...profile,
      payload: {
        ...profile.payload,
        sink: idOf(other),
        connectionKey: `socket 10.0.0.${index + 2}`,
        ...(index === others.length - 1 ? { uploadBitsPerSecond: 1.5e9 } : {}),
      },
    },
  ]);
  return stateOf({ machine, facts: [...facts, ...links] }, ...others.map(other => at(other)));
};

const clusterOf = (...more: readonly Fact[]) => {
  const { machine, facts } = at(studio);
  return stateOf({ machine, facts: [...facts, ...more] }, at(rack), at(notebook));
};

const drawn = (state = clusterOf(), alarms: readonly string[] = [], screen = options): string =>
  renderTop(
    state,
    0,
    alarms.map(problem => ({ problem, advice: '' })),
    screen,
  )
    .join('\n')
    .replaceAll(/[\u00a0\u202f]/g, ' ');

describe('the screen of plimsoll top', () => {
  test('begins with what the cluster is, and has a row for each machine', () => {
    const text = drawn();
    expect(text.split('\n')[0]).toMatch(
      /^3 nodes · 0 of \d GPUs measured: – FP16, – · host memory .+ of .+ · GPU memory .+ of .+$/,
    );
    for (const name of ['atlas', 'bosun', 'juno']) expect(text).toContain(`● ${name} simulated`);
  });

  test('has a row for each link with what it carries each way and half its round trip', () => {
    const text = drawn(clusterOf(opened, profiled('none')));
    expect(text).toMatch(
      /Ethernet\s+10 Gb\/s – \?\s+9\.\d\d Gb\/s\s+9\.\d\d Gb\/s\s+88(\.0)? µs\s+9(\.0+)? µs/,
    );
  });

  test('reports of a link without figures why there are none, and keeps the last good ones of one that fails', () => {
    expect(drawn(clusterOf(opened))).toContain('not measured yet');
    expect(drawn(clusterOf(opened, profiled('the sink closed the connection')))).toMatch(
      /9\.41 Gb\/s.+failed: the sink closed/,
    );
  });

  test.each([10, 20, 23])(
    'has a row for the worst link, of many machines, warnings and links, on %i rows',
    rows => {
      const alarms = Array.from({ length: 20 }, (_, index) => `alarm ${index}`);
      const lines = drawn(crowded(), alarms, { ...options, columns: 80, rows }).split('\n');
      const at = lines.findIndex(line => line.startsWith('! atlas'));
      expect(lines[at]).toMatch(/1\.50 Gb\/s/);
      expect(lines[at - 1]).toContain('A→B');
      expect(lines.slice(at).find(line => / more links?$/.test(line))).toMatch(/[456] more links/);
      expect(at).toBeLessThan(rows);
    },
  );

  test('counts what has no room', () => {
    const text = drawn(
      clusterOf(),
      Array.from({ length: 20 }, (_, index) => `alarm ${index}`),
      {
        ...options,
        rows: 20,
      },
    );
    expect(text).toContain('alarm 0');
    expect(text).toMatch(/… 1\d more lines: press w/);
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
  });

  test('shows the last machine where the line that would count it takes as much room', () => {
    const text = drawn(clusterOf(), [], { ...options, rows: 9 });
    expect(text).not.toContain('more node');
    const small = stateOf(at(studio), at(rack), at(notebook), at({ ...studio, seed: 'another' }));
    expect(drawn(small, [], { ...options, rows: 9 })).not.toContain('more node');
    const five = stateOf(
      at(studio),
      at(rack),
      at(notebook),
      at({ ...studio, seed: 'another' }),
      at({ ...studio, seed: 'third' }),
    );
    expect(drawn(five, [], { ...options, rows: 9 })).toContain('… 2 more nodes');
  });

  test('is never wider than the terminal', () => {
    for (const columns of [40, 60, 80, 100, 200]) {
      const lines = drawn(clusterOf(opened, profiled('none')), ['a long alarm '.repeat(30)], {
        ...options,
        columns,
      });
      for (const line of lines.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });
});
