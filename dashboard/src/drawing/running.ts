// Dashes that run where something is being measured. A clock steps them a few times per period: a CSS animation would
// repaint the page sixty times a second.

import type { Attachment } from 'svelte/attachments';
import { runLength, STEP_MS } from './run-length.ts';

/** All lines step at the same moments, so that they are drawn together. With `--running: none` in the style they do not move. */
export const running: Attachment<SVGElement> = line => {
  if (isStill(line)) return undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  const step = (): void => {
    const nowMs = performance.now();
    line.style.strokeDashoffset = `${-runLength(nowMs)}`;
    next = setTimeout(step, STEP_MS - (nowMs % STEP_MS));
  };
  step();
  return () => {
    clearTimeout(next);
    line.style.strokeDashoffset = '';
  };
};

const isStill = (line: SVGElement): boolean =>
  getComputedStyle(line).getPropertyValue('--running') === 'none' ||
  matchMedia('(prefers-reduced-motion: reduce)').matches;
