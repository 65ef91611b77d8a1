// The rows of nodes in a terminal: which columns they have.

import { expect, test } from 'vitest';
import { nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { type NodeField, nodeTable } from '../../src/tui/node-table.ts';
import { at, stateOf } from '../dashboard/cluster/cluster-state.ts';
import { notebook } from '../e2e/machines.ts';

const headOf = (fields?: readonly NodeField[]): string => {
  const state = stateOf(at(notebook));
  const views = nodeIds(state).map(id => nodeView(state, id, 0));
  const [head = []] = nodeTable(state, views, { columns: 200, fields });
  return head
    .map(({ text }) => text)
    .join('')
    .trim();
};

test('a column that is empty on every node is left out, unless somebody asks for it', () => {
  expect(headOf()).not.toMatch(/GPU memory|In|Out/);
  expect(headOf(['gpu-memory', 'out']).split(/\s{2,}/)).toEqual(['Node', 'GPU memory', 'Out']);
});
