// The position of what a run reached between nothing and the bound, as shares of a row: water up to what was reached, a line at the
// bound, a bracket for what is expected. A value above the bound is drawn there.

import type { RunHeadroom } from '../../../src/core/model/run-standing.ts';
import { runHeadroomRows } from '../../../src/render/run/run-headroom-text.ts';

interface BoundRow {
  /** "decode", "tg128 @ d4096". */
  readonly name: string;
  /** Reached, of the bound, of what is expected, what limits it: as the report writes them. */
  readonly cells: readonly string[];
  /** 0..1 of the row. */
  readonly reached: number;
  readonly bound: number;
  readonly expected: { readonly low: number; readonly high: number };
  readonly isAbove: boolean;
}

export const boundRows = (headroom: RunHeadroom): readonly BoundRow[] => {
  const texts = runHeadroomRows(headroom);
  return headroom.standings.map(({ achieved, bound, expected }, index) => {
    const [name = '', ...cells] = texts[index] ?? [];
    const most = Math.max(achieved, bound, expected.high) * ROOM;
    return {
      name,
      cells,
      reached: achieved / most,
      bound: bound / most,
      expected: { low: expected.low / most, high: expected.high / most },
      isAbove: achieved > bound,
    };
  });
};

/** So that the outermost line does not lie on the edge. */
const ROOM = 1.06;
