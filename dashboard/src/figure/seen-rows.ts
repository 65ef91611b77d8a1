// Which rows of a long table can be seen: of rows of about one height, those between the edges of the window and of
// whatever the table scrolls in. Asked when something is scrolled or sized, never at each drawing.

import type { Attachment } from 'svelte/attachments';

export interface Rows {
  readonly first: number;
  readonly last: number;
}

export const ALL_ROWS: Rows = { first: 0, last: Number.POSITIVE_INFINITY };

export interface Span {
  readonly top: number;
  readonly bottom: number;
}

export const rowsWithin = (body: Span, count: number, window: Span): Rows => {
  const height = (body.bottom - body.top) / Math.max(1, count);
  if (!(height > 0)) return ALL_ROWS;
  return {
    first: Math.floor((window.top - body.top) / height) - MARGIN_ROWS,
    last: Math.floor((window.bottom - body.top) / height) + MARGIN_ROWS,
  };
};

/** On the body of a table. */
export const seenRows =
  (see: (rows: Rows) => void): Attachment<HTMLTableSectionElement> =>
  body => {
    const look = (): void => {
      const frame = body.closest('.scroll-x')?.getBoundingClientRect();
      const top = Math.max(0, frame?.top ?? 0);
      const bottom = Math.min(innerHeight, frame?.bottom ?? innerHeight);
      see(rowsWithin(body.getBoundingClientRect(), body.rows.length, { top, bottom }));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(body.closest('.scroll-x') ?? body);
    sizes.observe(body);
    addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener('scroll', look, { capture: true });
    };
  };

/** Rows differ a little in height, and a quick scroll shows some before they are looked at. */
const MARGIN_ROWS = 3;
