// Which part of a tall drawing can be seen, in its own pixels from its top. Asked when something is scrolled or sized, never at
// each drawing.

import type { Attachment } from 'svelte/attachments';
import type { Span } from './rows-within.ts';

export const WHOLE_SPAN: Span = { top: Number.NEGATIVE_INFINITY, bottom: Number.POSITIVE_INFINITY };

/** On the drawing. */
export const seenSpan =
  (see: (span: Span) => void): Attachment<Element> =>
  drawing => {
    const look = (): void => {
      const { top } = drawing.getBoundingClientRect();
      see({ top: -top - MARGIN_PX, bottom: innerHeight - top + MARGIN_PX });
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(drawing);
    addEventListener('scroll', look, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      sizes.disconnect();
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  };

/** A quick scroll shows some before it is looked at. */
const MARGIN_PX = 200;
