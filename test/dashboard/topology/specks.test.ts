// The nodes of a map of hundreds: which of them a page has to touch again.

import { describe, expect, test } from 'vitest';
import { TURNS } from '../../../dashboard/src/figure/in-turn.ts';
import { arrangeRing } from '../../../dashboard/src/topology/arrangement.ts';
import { Specks } from '../../../dashboard/src/topology/specks.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { Telling } from '../../e2e/machines.ts';
import { notebook, studio } from '../../e2e/machines.ts';
import { AT_WORK, at, stateOf } from '../cluster/cluster-state.ts';

const ARRANGEMENT = arrangeRing(2, { width: 1_000, height: 600 });

const viewsOf = (telling: Telling, nowMs = 0): readonly NodeView[] => {
  const state = stateOf(at(studio, telling), at(notebook));
  return nodeIds(state).map(id => nodeView(state, id, nowMs));
};

describe('the specks of a large map', () => {
  test('are the same objects while their water stands and nothing else is seen of them', () => {
    const specks = new Specks();
    const before = specks.read(viewsOf(AT_WORK), ARRANGEMENT, undefined);
    expect(before).toHaveLength(2);
    for (let count = 0; count < 2 * TURNS; count += 1) {
      const after = specks.read(viewsOf(AT_WORK), ARRANGEMENT, undefined);
      expect(after.every((speck, index) => speck === before[index])).toBe(true);
    }
  });

  test('are another object for the one node whose water has moved', () => {
    const specks = new Specks();
    const before = specks.read(viewsOf(AT_WORK), ARRANGEMENT, undefined);
    const after = specks.read(viewsOf({ ...AT_WORK, memory: 0.9 }), ARRANGEMENT, undefined);
    expect(after.filter((speck, index) => speck !== before[index])).toMatchObject([{ isOver: true }]);
  });

  test('say at once that the picture is late, and that a node was not heard', () => {
    const specks = new Specks();
    specks.read(viewsOf(AT_WORK), ARRANGEMENT, undefined);
    const late = specks.read(viewsOf(AT_WORK), ARRANGEMENT, 12_000);
    expect(late.map(({ state, said }) => [state, said.includes('old')])).toEqual([
      ['stale', true],
      ['stale', true],
    ]);
    const gone = specks.read(viewsOf(AT_WORK, 40_000), ARRANGEMENT, undefined);
    expect(gone.map(({ state, said }) => [state, said.includes('no contact')])).toEqual([
      ['offline', true],
      ['offline', true],
    ]);
  });
});
