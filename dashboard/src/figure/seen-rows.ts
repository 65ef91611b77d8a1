// Which rows of a long table are visible: those between the edges of the window and of the element that the table scrolls in.
// Calculated on scroll and resize, never at each drawing.

import type { Attachment } from 'svelte/attachments';
import { type Rows, rowsWithin } from './rows-within.ts';

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
