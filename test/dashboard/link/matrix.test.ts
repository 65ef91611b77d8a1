import { describe, expect, test } from 'vitest';
import type { HeatMeasure } from '../../../dashboard/src/link/heat.ts';
import { heatStep } from '../../../dashboard/src/link/heat.ts';
import type { DelayUnit } from '../../../dashboard/src/link/link-words.ts';
import type { Cell, Matrix } from '../../../dashboard/src/link/matrix.ts';
import { matrixOf } from '../../../dashboard/src/link/matrix.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { State } from '../../../src/core/state.ts';
import type { Fleet } from '../../e2e/fleet.ts';
import { desk, mesh } from '../../e2e/fleet.ts';
import { ETHERNET, idOf, opened } from '../../e2e/links.ts';
import { notebook, rack, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf } from '../cluster/cluster-state.ts';

const stateOfFleet = ({ machines, told }: Fleet): State =>
  stateOf(
    ...machines.map(machine => ({
      machine,
      facts: [
        ...machine.durable,
        ...machine.live(AT_WORK),
        ...told.flatMap(one => (one.machine.seed === machine.seed ? one.facts : [])),
      ],
    })),
  );

const matrix = (
  state: State,
  measure: HeatMeasure = 'bandwidth',
  { flagged = [], delay = 'half' }: { readonly flagged?: readonly string[]; readonly delay?: DelayUnit } = {},
): Matrix =>
  matrixOf({
    nodes: nodeIds(state).map(id => ({ id, name: nodeName(state, id) })),
    links: linkViews(state, 0),
    flagged: new Set(flagged),
    measure,
    units: { rate: 'bits', delay },
  });

const cellAt = ({ columns, cells }: Matrix, from: string, to: string): Cell | undefined =>
  cells[columns.findIndex(({ name }) => name === from)]?.[columns.findIndex(({ name }) => name === to)];

describe('the matrix of links', () => {
  test('reads from the row to the column, and says so in full', () => {
    const drawn = matrix(stateOfFleet(desk()));
    expect(cellAt(drawn, 'atlas', 'bosun')).toMatchObject({
      text: '9.41',
      said: 'atlas to bosun: 9.41 Gb/s',
    });
    expect(cellAt(drawn, 'bosun', 'atlas')).toMatchObject({ text: '9.38' });
    expect(cellAt(drawn, 'atlas', 'atlas')).toEqual({ kind: 'self' });
  });

  test('writes delays as the reader wants them and names them, and shares as per cent', () => {
    const state = stateOfFleet(desk());
    expect(cellAt(matrix(state, 'delay'), 'atlas', 'juno')).toMatchObject({
      text: '9 µs',
      said: 'atlas to juno: RTT/2 9 µs',
    });
    expect(cellAt(matrix(state, 'delay', { delay: 'round' }), 'atlas', 'juno')).toMatchObject({
      text: '18 µs',
      said: 'atlas to juno: RTT 18 µs',
    });
    expect(cellAt(matrix(state, 'share'), 'atlas', 'bosun')).toMatchObject({ text: '94' });
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

  test('tells not reachable from not measured', () => {
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
      said: 'atlas to juno: not measured yet',
    });
    expect(cellAt(drawn, 'juno', 'bosun')).toEqual({
      kind: 'unreachable',
      said: 'juno to bosun: not reachable',
    });
  });
});

describe('a step of heat', () => {
  test('goes by the logarithm, the better the darker, and never out of range', () => {
    expect([0.1e9, 0.5e9, 9.4e9, 100e9, 400e9].map(value => heatStep('bandwidth', value))).toEqual([
      0, 0, 3, 6, 6,
    ]);
    expect([1e9, 5e6, 100e3, 2e3, 100].map(value => heatStep('delay', value))).toEqual([0, 0, 3, 6, 6]);
    expect([0, 0.5, 1, 1.4].map(value => heatStep('share', value))).toEqual([0, 3, 6, 6]);
  });
});
