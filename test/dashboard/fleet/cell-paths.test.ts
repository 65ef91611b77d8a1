import { describe, expect, test } from 'vitest';
import { cellHulls, levelPaths } from '../../../dashboard/src/fleet/cell-paths.ts';

const SIZE = { width: 8, height: 17, gpuWidth: 2, rowHeight: 20 };
const SPOTS = [0, 20, 40].map(x => ({ x, y: 0, isLastRow: true }));
/** The cells that a path draws, by where they begin. */
const cellsOf = (path: string): readonly number[] => [...path.matchAll(/M(\d+) /g)].map(([, x]) => Number(x));

describe('the cells of a group', () => {
  test('without reported memory are hatched, and never look empty', () => {
    const levels = { memory: [50, null, null], gpu: [null, null, null], states: '', usedBytes: 0 };
    const { water, unknown } = levelPaths(SPOTS, { ...levels, states: 'llo' }, SIZE);
    expect([cellsOf(water), cellsOf(unknown)]).toEqual([[0], [20]]);
  });

  test('that are being measured have a dashed hull in place of the plain one', () => {
    const { hull, measured } = cellHulls(SPOTS, 'lmo', SIZE);
    expect([cellsOf(hull), cellsOf(measured)]).toEqual([[0], [20]]);
  });
});
