// The figures of what a reading has several of: which things, what distinguishes them, and the rows of figures of each.

import { type FigureRow, type Labels, labelsOf } from './figure-row.ts';

export interface ItemFigures<Value> {
  /** Names of the labels that distinguish the things. */
  readonly labelNames: readonly string[];
  readonly rows: readonly FigureRow<never>[];
  readonly put: (page: FigurePage, value: Value, labels: Labels) => void;
}

/** What figures are written to. */
interface FigurePage {
  figures<Item>(rows: readonly FigureRow<Item>[], item: Item, scope: { readonly labels: Labels }): void;
}

export const itemFigures = <Value, Item>(
  items: (value: Value) => readonly Item[],
  labels: Readonly<Record<string, (item: Item) => string>>,
  rows: readonly FigureRow<Item>[],
): ItemFigures<Value> => ({
  labelNames: Object.keys(labels),
  rows,
  put: (page, value, common) => {
    for (const item of items(value))
      page.figures(rows, item, { labels: { ...common, ...labelsOf(labels, item) } });
  },
});
