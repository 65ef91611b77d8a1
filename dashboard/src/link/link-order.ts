// In which order links are listed: what needs somebody first, what is gone last.

import { isCarrying, type LinkView } from '../../../src/core/link/link-view.ts';
import { isFlagged } from './link-filter.ts';

/** `notes`: by link, how it falls short. Within each part the order stays. */
export const needFirst = (
  links: readonly LinkView[],
  notes: ReadonlyMap<string, string>,
): readonly LinkView[] => links.toSorted((a, b) => rankOf(a, notes) - rankOf(b, notes));

/** Within each part the one that carries least in its slower direction comes first. */
export const slowestFirst = (
  links: readonly LinkView[],
  notes: ReadonlyMap<string, string>,
): readonly LinkView[] =>
  links.toSorted((a, b) => rankOf(a, notes) - rankOf(b, notes) || slowerWay(a) - slowerWay(b));

const rankOf = (link: LinkView, notes: ReadonlyMap<string, string>): number => {
  if (link.lost.length > 0) return 0;
  if (!isCarrying(link.standing)) return 2;
  return isFlagged(link, notes) ? 0 : 1;
};

const slowerWay = ({ there, back }: LinkView): number =>
  Math.min(there?.value ?? Number.MAX_VALUE, back?.value ?? Number.MAX_VALUE);
