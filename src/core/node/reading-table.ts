// A reading as a table, from the declarations of its columns: the page of a node draws it, and the terminal writes a line of
// facts for each of its rows.

import { type Figure, figureText, formatCount } from '../figure/figure.ts';
import { isUnknown, type Reported, type Unknown } from '../unknown.ts';

export interface ReadingTable {
  /** For readers who do not see the title above it: "Mounted volumes". */
  readonly name: string;
  readonly columns: readonly ColumnHead[];
  readonly rows: readonly ReadingTableRow[];
  /** In place of rows; without it, nothing is shown then. */
  readonly none?: string;
  /** Sentences below it. */
  readonly remarks?: readonly string[];
}

interface ColumnHead {
  readonly title: string;
  /** Default: a name or a word. */
  readonly kind?: 'figure' | 'code' | 'prose' | 'sentence';
  /** Clear without its title, in a line of the terminal. */
  readonly isClear?: boolean;
}

export interface ReadingTableRow {
  readonly cells: readonly ReadingCell[];
  /** Of less interest than the others. */
  readonly isDim?: boolean;
}

export interface ReadingCell {
  /** A rate is shown in the unit that a reader chose. */
  readonly value: string | Unknown | { readonly bitsPerSecond: number };
  /** Below it, in small letters. */
  readonly below?: readonly (string | Unknown)[];
  readonly level?: 'danger' | 'caution' | 'note' | undefined;
}

/** What a cell is made of. */
type CellContent = ReadingCell | ReadingCell['value'];

interface Column<Item> extends ColumnHead {
  readonly of: (item: Item) => CellContent;
}

interface TableForm<Item> extends Omit<ReadingTable, 'columns' | 'rows'> {
  readonly columns: readonly Column<Item>[];
  readonly isDim?: (item: Item) => boolean;
}

export const readingTable = <Item>(
  items: readonly Item[],
  { columns, isDim = () => false, ...head }: TableForm<Item>,
): ReadingTable => ({
  ...head,
  columns,
  rows: items.map(item => ({ cells: columns.map(({ of }) => cellOf(of(item))), isDim: isDim(item) })),
});

const cellOf = (content: CellContent): ReadingCell =>
  typeof content === 'object' && 'value' in content ? content : { value: content };

export const formattedCell = (
  value: Reported<number>,
  format: (value: number) => Figure,
): string | Unknown => (isUnknown(value) ? value : figureText(format(value)));

export const countCell = (value: Reported<number>): string | Unknown =>
  isUnknown(value) ? value : formatCount(value);

export const rateCell = (value: Reported<number>): ReadingCell['value'] =>
  isUnknown(value) ? value : { bitsPerSecond: value };
