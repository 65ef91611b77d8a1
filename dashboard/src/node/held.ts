// The value that a reading holds, fresh or stale; undefined where nothing was ever read.

import type { ReadingView } from '../../../src/core/node/reading-view.ts';

export const held = <T>(reading: ReadingView<T>): T | undefined =>
  reading.kind === 'current' || reading.kind === 'stale' ? reading.value : undefined;

/** Why there is no value, or no fresh one; '' when there is. */
export const whyNot = (reading: ReadingView<unknown>): string => {
  switch (reading.kind) {
    case 'waiting':
      return 'not read yet';
    case 'absent':
    case 'unavailable':
    case 'stale':
      return reading.reason;
    case 'current':
      return '';
    default:
      return reading satisfies never;
  }
};
