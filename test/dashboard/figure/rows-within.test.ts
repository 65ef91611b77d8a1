// Which rows of a table lie within the window.

import { describe, expect, test } from 'vitest';
import { ALL_ROWS, rowsWithin } from '../../../dashboard/src/figure/rows-within.ts';

describe('the rows that can be seen', () => {
  test('are those between the edges, with a few on either side', () => {
    const rows = rowsWithin({ top: 100, bottom: 2_100 }, 100, { top: 500, bottom: 700 });
    expect(rows).toEqual({ first: 20 - 3, last: 30 + 3 });
  });

  test('are none of the first where the table begins below the window', () => {
    expect(rowsWithin({ top: 900, bottom: 2_900 }, 100, { top: 0, bottom: 800 }).last).toBeLessThan(0);
  });

  test('are all while the table has no height, or no row', () => {
    expect(rowsWithin({ top: 0, bottom: 0 }, 100, { top: 0, bottom: 800 })).toEqual(ALL_ROWS);
    expect(rowsWithin({ top: 0, bottom: 0 }, 0, { top: 0, bottom: 800 })).toEqual(ALL_ROWS);
  });
});
