// The last value of a reading, current or not.

import type { ReadingView } from './reading-view.ts';

export const heldValue = <T>(view: ReadingView<T>): T | undefined =>
  view.kind === 'current' || view.kind === 'stale' ? view.value : undefined;
