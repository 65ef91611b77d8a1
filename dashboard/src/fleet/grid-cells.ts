// The cells of a group for the keyboard and for who cannot see them: a rectangle each, without any look. A framework's binding
// for each of the five attributes of a thousand cells costs more than all that is drawn, so they are made and changed by hand.

import type { RosterGroup } from '../../../src/core/fleet/fleet-picture.ts';
import type { CellSize, GroupBox } from './fleet-layout.ts';

interface GridCellsView {
  readonly group: RosterGroup;
  /** Of the group in the roster. */
  readonly groupIndex: number;
  readonly box: GroupBox;
  readonly size: CellSize;
  /** The cell that Tab leads to; undefined: it is in another group. */
  readonly active: number | undefined;
  readonly picked: ReadonlySet<string>;
  readonly nameOf: (cell: number) => string;
}

export class GridCells {
  readonly #paper: SVGGElement;
  #group: RosterGroup | undefined;
  #box: GroupBox | undefined;
  #cells: SVGRectElement[] = [];

  constructor(paper: SVGGElement) {
    this.#paper = paper;
  }

  show(view: GridCellsView): void {
    if (view.group !== this.#group || view.box !== this.#box) this.#draw(view);
    for (const [index, cell] of this.#cells.entries()) {
      put(cell, 'tabindex', index === view.active ? '0' : '-1');
      put(cell, 'aria-selected', String(view.picked.has(view.group.cells[index]?.node ?? '')));
      put(cell, 'aria-label', view.nameOf(index));
    }
  }

  /** Renames one cell: only the focused cell has figures in its name. */
  rename(index: number, name: string): void {
    const cell = this.#cells[index];
    if (cell !== undefined) put(cell, 'aria-label', name);
  }

  #draw({ group, groupIndex, box, size }: GridCellsView): void {
    // The focus stays on its cell.
    const before = new Map(this.#cells.map(cell => [cell.dataset['cell'] ?? '', cell]));
    this.#group = group;
    this.#box = box;
    this.#cells = group.cells.map(({ node }, index) => {
      const cell = before.get(node) ?? newCell();
      const spot = box.cells[index];
      cell.id = `cell-${group.id}-${node}`;
      cell.dataset['cell'] = node;
      cell.dataset['position'] = `${groupIndex} ${index}`;
      put(cell, 'x', String(spot?.x ?? box.x));
      put(cell, 'y', String(spot?.y ?? box.y));
      put(cell, 'width', String(size.width + size.gpuWidth + 1));
      put(cell, 'height', String(size.height));
      return cell;
    });
    const rows = Array.from({ length: Math.ceil(this.#cells.length / box.columns) }, (_, row) => {
      const rowElement = this.#paper.children[row] ?? newElement('g');
      rowElement.setAttribute('role', 'row');
      const cells = this.#cells.slice(row * box.columns, (row + 1) * box.columns);
      if (
        rowElement.children.length !== cells.length ||
        cells.some((cell, column) => rowElement.children[column] !== cell)
      )
        rowElement.replaceChildren(...cells);
      return rowElement;
    });
    if (
      rows.length !== this.#paper.children.length ||
      rows.some((row, index) => this.#paper.children[index] !== row)
    )
      this.#paper.replaceChildren(...rows);
  }
}

/** Of the cell that an event happened on; undefined for anything else. */
export const positionOfCell = (
  target: EventTarget | null,
): { readonly group: number; readonly cell: number } | undefined => {
  const position = target instanceof SVGElement ? target.dataset['position'] : undefined;
  const [group, cell] = (position ?? '').split(' ').map(Number);
  return position === undefined || group === undefined || cell === undefined ? undefined : { group, cell };
};

const newCell = (): SVGRectElement => {
  const cell = newElement('rect');
  cell.setAttribute('class', 'hit');
  cell.setAttribute('role', 'gridcell');
  return cell;
};

const newElement = <K extends 'g' | 'rect'>(name: K): SVGElementTagNameMap[K] =>
  document.createElementNS('http://www.w3.org/2000/svg', name);

const put = (element: Element, name: string, value: string): void => {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};
