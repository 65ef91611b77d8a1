import { describe, expect, test } from 'vitest';
import { type HeatMeasure, heatScale, heatStep } from '../../../dashboard/src/link/heat.ts';
import { usualMeasure } from '../../../dashboard/src/link/link-filter.ts';
import type { DelayUnit } from '../../../dashboard/src/link/link-text.ts';
import { type Cell, type Matrix, matrixOf } from '../../../dashboard/src/link/matrix.ts';
import { factOf } from '../../../src/core/event-kinds.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { type Fleet, joined, mesh, service } from '../../e2e/fleet.ts';
import { ETHERNET, idOf, opened, type Wire } from '../../e2e/links.ts';
import { notebook, rack, studio } from '../../e2e/machines.ts';
import { A, B, Cluster, lost, NOW_MS, network, port, profile, socket } from '../../support/linked-nodes.ts';
import { AT_WORK, stateOf } from '../cluster/cluster-state.ts';

const stateOfFleet = ({ machines, reported }: Fleet): State =>
  stateOf(
    ...machines.map(machine => ({
      machine,
      facts: [
        ...machine.durable,
        ...machine.live(AT_WORK),
        ...reported.flatMap(one => (one.machine.seed === machine.seed ? one.facts : [])),
      ],
    })),
  );

const matrix = (
  state: State,
  measure: HeatMeasure = 'bandwidth',
  {
    delay = 'half',
    clusterNodeCount = 4,
  }: {
    readonly delay?: DelayUnit;
    readonly clusterNodeCount?: number;
  } = {},
): Matrix =>
  matrixOf({
    nodes: nodeIds(state).map(id => ({ id, name: nodeName(state, id) })),
    links: linkViews(state, 0),
    measure,
    units: { rate: 'bits', delay },
    clusterNodeCount,
  });

const unratedWire = (): Wire => ({ ...ETHERNET, type: unknown('a bridge'), negotiatedBitsPerSecond: 0 });

const joinedBy = (wire: Wire): Fleet => ({
  machines: [studio, notebook],
  reported: joined(studio, notebook, wire),
});

const cellAt = ({ columns, cells }: Matrix, from: string, to: string): Cell | undefined =>
  cells[columns.findIndex(({ name }) => name === from)]?.[columns.findIndex(({ name }) => name === to)];

describe('the matrix of links', () => {
  test('reads from the row to the column, and reports it in full', () => {
    const drawn = matrix(stateOfFleet(service()));
    expect(cellAt(drawn, 'atlas', 'bosun')).toMatchObject({
      text: '9.41',
      reported: 'atlas to bosun: 9.41 Gb/s',
    });
    expect(cellAt(drawn, 'bosun', 'atlas')).toMatchObject({ text: '9.38' });
    expect(cellAt(drawn, 'atlas', 'atlas')).toEqual({ kind: 'self' });
  });

  test('writes delays as the reader prefers them and names them, and shares as per cent', () => {
    const state = stateOfFleet(service());
    expect(cellAt(matrix(state, 'delay'), 'atlas', 'juno')).toMatchObject({
      text: '9 µs',
      reported: 'atlas to juno: RTT/2 9 µs',
    });
    expect(cellAt(matrix(state, 'delay', { delay: 'round' }), 'atlas', 'juno')).toMatchObject({
      text: '18 µs',
      reported: 'atlas to juno: RTT 18 µs',
    });
    expect(cellAt(matrix(state, 'share'), 'atlas', 'bosun')).toMatchObject({ text: '94' });
  });

  test('reports of a fleet that two nodes were not chosen today, and not that they cannot be reached', () => {
    const apart = stateOf(
      { machine: notebook, facts: [...notebook.durable, ...notebook.live(AT_WORK)] },
      { machine: rack, facts: [...rack.durable, ...rack.live(AT_WORK)] },
    );
    const reported = (clusterNodeCount: number) =>
      cellAt(matrix(apart, 'bandwidth', { clusterNodeCount }), 'juno', 'bosun');
    expect(reported(2)).toMatchObject({ reported: 'juno to bosun: not reachable' });
    expect(reported(65)).toMatchObject({ reported: 'juno to bosun: not chosen today' });
  });

  test('puts machines together that a fast cable joins, with a gap behind each group', () => {
    const { columns } = matrix(stateOfFleet(mesh(8)));
    expect(columns.map(({ name }) => name)).toEqual([
      'atlas',
      'hermes',
      'selene',
      'theia',
      'ceres',
      'juno',
      'pallas',
      'vesta',
    ]);
    expect(columns.map(({ isGroupEnd }) => isGroupEnd)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  test('distinguishes not reachable from not measured', () => {
    const drawn = matrix(
      stateOf(
        {
          machine: studio,
          facts: [...studio.durable, ...studio.live(AT_WORK), opened(idOf(notebook), ETHERNET)],
        },
        { machine: notebook, facts: [...notebook.durable, ...notebook.live(AT_WORK)] },
        { machine: rack, facts: [...rack.durable, ...rack.live(AT_WORK)] },
      ),
    );
    expect(cellAt(drawn, 'atlas', 'juno')).toEqual({
      kind: 'unmeasured',
      reported: 'atlas to juno: not measured yet',
    });
    expect(cellAt(drawn, 'juno', 'bosun')).toEqual({
      kind: 'unreachable',
      reported: 'juno to bosun: not reachable',
    });
  });
});

describe('a step of heat', () => {
  const stepsOf = (measure: HeatMeasure, values: readonly number[]): readonly number[] =>
    values.map(value => heatStep(measure, value, heatScale(measure, values)));

  test('distinguishes a healthy fast link from a broken one, however fast all of them are', () => {
    const [healthy = 0, broken = 0, other = 0] = stepsOf('bandwidth', [391e9, 164e9, 388e9]);
    expect(healthy).toBe(other);
    expect(healthy - broken).toBeGreaterThanOrEqual(2);
    expect(stepsOf('delay', [2e3, 5e3, 200e3])[0]).toBe(6);
  });

  test('keeps its colours while figures tremble: the ends of a scale are round', () => {
    expect(heatScale('bandwidth', [391e9, 164e9])).toEqual({ low: 100e9, high: 500e9 });
    expect(heatScale('bandwidth', [388e9, 171e9])).toEqual({ low: 100e9, high: 500e9 });
    expect(heatScale('bandwidth', [1e9, 1e9])).toEqual({ low: 1e9, high: 2e9 });
    expect(heatScale('bandwidth', []).low).toBeGreaterThan(0);
  });

  test('goes from none to all of what a link should carry, and never out of range', () => {
    const share = heatScale('share', [0.9, 0.94]);
    expect([0, 0.49, 0.94, 1.4].map(value => heatStep('share', value, share))).toEqual([0, 3, 6, 6]);
    expect(heatStep('bandwidth', Number.NaN, heatScale('bandwidth', [1e9]))).toBe(0);
  });

  test('shows the bandwidth of a link that was measured but has no known rate, and never calls it not measured', () => {
    const unrated = matrix(stateOfFleet(joinedBy(unratedWire())), 'share');
    expect(cellAt(unrated, 'atlas', 'juno')).toEqual({
      kind: 'unrated',
      text: '9.41',
      reported: 'atlas to juno: 9.41 Gb/s, what it should carry is unknown',
      isStale: false,
      isFlagged: false,
      hasLostPath: false,
    });
    expect(unrated.unratedUnit).toBe('Gb/s');
    expect(cellAt(matrix(stateOfFleet(joinedBy(unratedWire())), 'bandwidth'), 'atlas', 'juno')).toMatchObject(
      {
        kind: 'measured',
        text: '9.41',
      },
    );
  });

  test('flags of a link without a known rate the direction that is far slower alone, in each measure', () => {
    const state = stateOfFleet(joinedBy({ ...unratedWire(), up: 940e6, down: 94e6 }));
    for (const measure of ['share', 'bandwidth'] as const) {
      const drawn = matrix(state, measure);
      expect(cellAt(drawn, 'atlas', 'juno')).toMatchObject({ isFlagged: false });
      expect(cellAt(drawn, 'juno', 'atlas')).toMatchObject({ isFlagged: true });
    }
  });

  test('shows a lost link as lost, with its last figure, and not as one that never was', () => {
    const way = socket(B, '10.0.0.2', ['en0', 'eth0']);
    const back = socket(A, '10.0.0.1', ['eth0', 'en0']);
    const cluster = new Cluster()
      .record(A, 0, network(port('en0')), factOf('connection.opened', way), profile(A, way, [4e8, 3e8]))
      .record(B, 0, network(port('eth0')), factOf('connection.opened', back))
      .record(A, 9_700_000, lost(way))
      .record(B, 9_700_000, lost(back));
    const cells = (nowMs: number): Matrix =>
      matrixOf({
        nodes: [A, B].map(id => ({ id, name: id.slice(0, 1) })),
        links: linkViews(cluster.present(nowMs).state, nowMs),
        measure: 'bandwidth',
        units: { rate: 'bits', delay: 'half' },
        clusterNodeCount: 2,
      });
    expect(cellAt(cells(NOW_MS), 'a', 'b')).toEqual({
      kind: 'lost',
      reported: 'a to b: lost, last 0.40 Gb/s',
    });
    expect(cellAt(cells(NOW_MS), 'b', 'a')).toEqual({
      kind: 'lost',
      reported: 'b to a: lost, last 0.30 Gb/s',
    });
    // Another path opens: its figure is the cell's, with a mark and words for the lost one.
    const radio = socket(B, '10.9.0.2', ['en1', 'wlan0']);
    cluster.record(A, NOW_MS, factOf('connection.opened', radio), profile(A, radio, [9e8, 9e8]));
    expect(cellAt(cells(NOW_MS), 'a', 'b')).toMatchObject({
      kind: 'measured',
      reported: 'a to b: 0.90 Gb/s, another path lost',
      hasLostPath: true,
      isFlagged: false,
    });
  });

  test('begins with shares, and with bandwidth where the rate of no link is known', () => {
    const usual = (wire: Wire) => usualMeasure(linkViews(stateOfFleet(joinedBy(wire)), 0));
    expect(usual(ETHERNET)).toBe('share');
    expect(usual(unratedWire())).toBe('bandwidth');
    expect(usualMeasure([])).toBe('share');
    const waiting = {
      machines: [studio, notebook],
      reported: [{ machine: studio, facts: [opened(idOf(notebook), unratedWire())] }],
    };
    expect(usualMeasure(linkViews(stateOfFleet(waiting), 0))).toBe('bandwidth');
  });

  test('is the share of what each link should carry where nobody asks for another measure', () => {
    const cell = cellAt(matrix(stateOfFleet(service()), 'share'), 'atlas', 'bosun');
    expect(cell).toMatchObject({
      text: '94',
      reported: 'atlas to bosun: 9.41 Gb/s, 94 per cent of what it should carry',
    });
  });
});
