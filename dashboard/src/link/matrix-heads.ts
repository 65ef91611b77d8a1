// How wide the columns of the matrix are, and whether the names over them fit lying down. If one does not, all are
// vertical: shortened names could no longer be distinguished.

import { maximumOf } from '../../../src/core/extremes.ts';
import type { MatrixColumn } from './matrix.ts';

interface MatrixHeads {
  /** Of a column that ends no group, px; undefined where the table takes the width that it needs. */
  readonly columnPx: number | undefined;
  readonly isUpright: boolean;
}

/** @param tablePx of the whole table; 0 before it was drawn. */
export const matrixHeads = (columns: readonly MatrixColumn<string>[], tablePx: number): MatrixHeads => {
  if (columns.length > DENSE_COLUMNS) return { columnPx: undefined, isUpright: true };
  if (tablePx === 0 || columns.length === 0) return { columnPx: undefined, isUpright: false };
  const gaps = columns.slice(0, -1).filter(({ isGroupEnd }) => isGroupEnd).length;
  const columnPx =
    (tablePx - ROW_HEAD_PX - SPACING_PX * (columns.length + 2) - GROUP_GAP_PX * gaps) / columns.length;
  const longest = maximumOf(columns.map(({ name }) => [...name].length));
  return { columnPx: Math.max(0, columnPx), isUpright: longest * SIGN_PX > columnPx };
};

/** More than these have no figures written in their cells. */
export const DENSE_COLUMNS = 24;
/** The gap after a group, in addition to the column itself; as in the style of the table. */
export const GROUP_GAP_PX = 6;
const ROW_HEAD_PX = 76;
const SPACING_PX = 1;
/** The widest sign of an ordinary name at 13 px; most are narrower. */
const SIGN_PX = 6.6;
