// The list that people read: serious warnings first, with a limit per kind, so that none hides the others. If
// a whole cluster has one problem, two hundred machines would report it before the one broken cable.

import type { Warning } from './warning.ts';

/** The type of a warning without its subject: "stale", "link short". Ids start with it. */
export const warningSort = ({ id, level }: Pick<Warning, 'id' | 'level'>): string => {
  const words = id.split(' ', SORT_CHARACTERS_MAX);
  const end = words.findIndex(word => !SORT_WORD.test(word));
  return `${level} ${words.slice(0, end < 0 ? words.length : end).join(' ')}`;
};

export const boundedWarnings = (found: readonly Warning[]): readonly Warning[] => {
  const counts = new Map<string, number>();
  const kept = inLevelOrder(found).filter(warning => {
    const sort = warningSort(warning);
    const count = (counts.get(sort) ?? 0) + 1;
    counts.set(sort, count);
    return count <= OF_ONE_SORT_MAX;
  });
  const shown = kept.slice(0, WARNINGS_MAX);
  return shown.length === found.length ? shown : [...shown, leftOut(found.length - shown.length)];
};

/** Serious ones first, otherwise in their order. */
export const inLevelOrder = <Found extends Pick<Warning, 'level'>>(
  found: readonly Found[],
): readonly Found[] => LEVELS.flatMap(level => found.filter(warning => warning.level === level));

const leftOut = (count: number): Warning => ({
  id: 'more',
  level: 'note',
  nodes: [],
  title: `${count} more ${count === 1 ? 'warning' : 'warnings'}`,
  why: `At most ${OF_ONE_SORT_MAX} of one kind are listed, and ${WARNINGS_MAX} in total. The others appear as these are resolved.`,
});

const LEVELS = ['danger', 'caution', 'note'] as const;
/** More than a person reads. */
const WARNINGS_MAX = 500;
/**
 * One per node of the largest cluster that is monitored: the list of nodes and Prometheus count by these.
 */
const OF_ONE_SORT_MAX = 200;
const SORT_CHARACTERS_MAX = 2;
const SORT_WORD = /^[a-z][a-z-]{1,11}$/;
